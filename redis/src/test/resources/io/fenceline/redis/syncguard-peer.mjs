// Does with SyncGuard what each line of input says, and writes how it went: "yes" and the values, "no", or "error" and why.
import { createInterface } from "node:readline";
import { Redis } from "ioredis";
import { createRedisBackend } from "syncguard/redis";

const [port, keyPrefix] = process.argv.slice(2);
const backend = createRedisBackend(new Redis(Number(port), "127.0.0.1"), { keyPrefix });

const seen = (info) => info && [info.keyHash, info.lockIdHash, info.expiresAtMs, info.acquiredAtMs, info.fence];
const operations = {
  async acquire(key, ttl) {
    const result = await backend.acquire({ key, ttlMs: Number(ttl) });
    return result.ok && [result.lockId, result.expiresAtMs, result.fence];
  },
  async release(lockId) {
    return (await backend.release({ lockId })).ok && [];
  },
  async extend(lockId, ttl) {
    const result = await backend.extend({ lockId, ttlMs: Number(ttl) });
    return result.ok && [result.expiresAtMs];
  },
  async isLocked(key) {
    return (await backend.isLocked({ key })) && [];
  },
  async lookupKey(key) {
    return seen(await backend.lookup({ key }));
  },
  async lookupId(lockId) {
    return seen(await backend.lookup({ lockId }));
  },
};

for await (const line of createInterface({ input: process.stdin })) {
  const [name, ...values] = line.trim().split(" ").map(decodeURIComponent);
  try {
    const answer = await operations[name](...values);
    console.log(answer ? ["yes", ...answer].join(" ") : "no");
  } catch (error) {
    console.log("error", error.code, error.message.replaceAll("\n", " "));
  }
}
process.exit();
