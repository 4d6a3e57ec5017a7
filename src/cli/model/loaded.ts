import metadata from "wakeful/package.json" with { type: "json" };
import { OptionError } from "../../errors.ts";

type Peer = keyof typeof metadata.peerDependencies;

/** The package of a provider, which users install when they want it. Rejects with OptionError that says how. */
export const loaded = async <T>(name: Peer, load: () => Promise<T>): Promise<T> => {
  try {
    return await load();
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException;
    if (code !== "ERR_MODULE_NOT_FOUND" || !message.includes(name)) throw cause;
    const [major] = metadata.peerDependencies[name].match(/\d+/) ?? [];
    throw new OptionError(
      "--model",
      `this one is reached through ${name}, which is not installed: npm install ${name}@${major}`,
      { cause },
    );
  }
};
