export { settle, type VirtualClock, virtualClock } from "../../src/testing/virtual-clock.ts";
