// Plain JavaScript with nothing imported, because the Node that must be turned away is the one that runs this.
// With `npm ci --ignore-scripts` the devDependency `node` has no binary, npm scripts fall back to the machine's Node,
// and without this check the first thing to fail is a type annotation or an import of node:sqlite.

const oldestSupported = 24;
const current = process.versions.node;

/** What to say to someone on a Node that is too old; undefined when this one will do. */
export const complaint =
  Number(current.split(".")[0]) >= oldestSupported
    ? undefined
    : `wakeful needs Node ${oldestSupported} or newer, this is ${current}.
Run \`npm ci\` without --ignore-scripts: the \`node\` devDependency brings Node 26, which npm scripts then use.
Or put a Node ${oldestSupported} or newer of your own first on the PATH.`;

const isRun = process.argv[1]?.endsWith("node-version.js");
if (isRun && complaint !== undefined) {
  console.error(complaint);
  process.exit(1);
}
