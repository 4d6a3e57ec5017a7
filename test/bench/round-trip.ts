import { memoryStore } from "wakeful";
import { bareTrips } from "./bare.ts";
import { interleaved, mean, median, print, threadTime } from "./measure.ts";
import { costsOf, tripModel, tripSystem } from "./trips.ts";

const trips = 400;

const against = async (talks: boolean) => {
  const system = await tripSystem(memoryStore());
  const of = await interleaved(
    {
      bare: async () => {
        const script = tripModel(trips, threadTime, { talks });
        await bareTrips(script.model);
        return mean(costsOf(script));
      },
      wakeful: async () => {
        const script = tripModel(trips, threadTime, { talks });
        await system.run(script);
        return mean(costsOf(script));
      },
    },
    11,
  );
  await system.stop();
  return {
    ratio: median(of.wakeful) / median(of.bare),
    of,
    unit: "µs of thread time a round trip",
    each: { "round trips": trips },
  };
};

/** A round trip (call, dispatch, result, next completion) against the bare machine, in memory. */
export const roundTrip = async (): Promise<boolean> =>
  print({ bench: "round trip in memory against a bare machine", atMost: 5, ...(await against(true)) });

/** The same with nothing to stream: what the runtime adds is all there is to see. Without a bound. */
export const silentRoundTrip = async (): Promise<boolean> =>
  print({
    bench: "round trip in memory against a bare machine, nothing but a call to stream",
    ...(await against(false)),
  });
