// A SyncGuard process: one request a line on its input, as JSON; one answer a line on its output.
// SYNCGUARD and POSTGRES_JS are the files of the modules syncguard/postgres and postgres.
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";

const module = (file) => import(pathToFileURL(file).href);
const { createPostgresBackend, setupSchema } = await module(process.env.SYNCGUARD);
const { default: postgres } = await module(process.env.POSTGRES_JS);

const sql = postgres(process.argv[2], { onnotice: () => {}, connection: { search_path: process.argv[3] } });
const names = { tableName: "syncguard_locks", fenceTableName: "syncguard_fence_counters" };
await setupSchema(sql, names);
const backend = createPostgresBackend(sql, names);
const operations = {
  acquire: (request) => backend.acquire(request),
  release: (request) => backend.release(request),
  extend: (request) => backend.extend(request),
  isLocked: (request) => backend.isLocked(request).then((locked) => ({ locked })),
  lookup: (request) => backend.lookup(request).then((found) => found ?? {}),
};

for await (const line of createInterface({ input: process.stdin })) {
  const { op, ...request } = JSON.parse(line);
  try {
    console.log(JSON.stringify(await operations[op](request)));
  } catch (error) {
    console.log(JSON.stringify({ error: String(error.code ?? error) }));
  }
}
await sql.end();
