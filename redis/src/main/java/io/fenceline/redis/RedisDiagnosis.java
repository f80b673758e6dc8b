package io.fenceline.redis;

import io.fenceline.BackendException;
import io.fenceline.redis.link.RedisLink;
import io.fenceline.redis.link.RedisScript;
import io.fenceline.spi.SelfDiagnosis;
import io.fenceline.spi.TokenMode;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/** Checks every master: whether it accepts writes, durability, eviction, replicas and clock. */
final class RedisDiagnosis implements SelfDiagnosis {

    private static final long SKEW_MICROS = 1_000_000;
    private static final int MAJOR = 6;
    private static final int MINOR = 2;

    /** Sends a message to nobody. */
    private static final RedisScript PUBLISH = RedisScript.of(true, """
            local heard = redis.pcall('PUBLISH', ARGV[1], '')
            return { type(heard) == 'table' and heard.err or '' }
            """);

    /**
     * Writes a key that no lock has, with a command that locks need, and deletes it. Passes on the errors that a lock would get too. The slot of the key
     * may be another node's, which Redis looks at last.
     */
    private static final RedisScript WRITE = RedisScript.of(true, """
            local done = redis.pcall('HSET', ARGV[1], 'by', 'doctor')
            if type(done) == 'number' then
              redis.call('DEL', ARGV[1])
            elseif not string.find(done.err, 'non local', 1, true) then
              return done
            end
            return { '' }
            """);

    private final RedisLink link;
    private final RedisOptions options;

    RedisDiagnosis(RedisLink link, RedisOptions options) {
        this.link = link;
        this.options = options;
    }

    @Override
    public List<Finding> diagnose() {
        List<Finding> findings = new ArrayList<>();
        for (RedisLink.Node node : link.masters()) {
            try {
                findings.addAll(findings(node));
            } catch (BackendException e) { // one that cannot be reached hides no other
                findings.add(new Finding(
                        subject(node, "server"),
                        Severity.PROBLEM,
                        String.valueOf(e.getMessage()),
                        "the locks of its keys cannot be acquired until this is mended"));
                continue;
            }
            if (options.layout() instanceof KeyLayout.Fenceline) {
                findings.add(writes(node)); // last: a replica's refusal costs the connection
            }
        }
        return findings;
    }

    private List<Finding> findings(RedisLink.Node node) {
        List<Finding> findings = new ArrayList<>();
        findings.add(clock(node));
        if (options.layout() instanceof KeyLayout.Fenceline) {
            findings.add(channels(node));
        }
        Map<String, String> info;
        try {
            info = node.info();
        } catch (BackendException e) {
            findings.add(unknown(node, "server", "INFO", e));
            return findings;
        }
        findings.add(version(node, info));
        findings.add(setting(node, "maxmemory-policy", policy -> eviction(node, info, policy)));
        findings.add(persistence(node, info));
        if (info.getOrDefault("aof_enabled", "0").equals("1")) {
            findings.add(setting(node, "appendfsync", policy -> fsync(node, policy)));
        }
        findings.add(setting(node, "min-replicas-to-write", least -> replicas(node, info, least)));
        if (info.getOrDefault("cluster_enabled", "0").equals("1")) {
            findings.add(cluster(node));
        }
        return findings;
    }

    /** A user that is made on Redis 7 may use no channel unless it is told which. */
    private Finding channels(RedisLink.Node node) {
        String subject = subject(node, "channels");
        String channel = new LockNames(options.keyPrefix()).channel("doctor");
        String refusal;
        try {
            refusal = String.valueOf(node.run(PUBLISH, channel).get(0));
        } catch (BackendException e) {
            return new Finding(
                    subject, Severity.PROBLEM, String.valueOf(e.getMessage()), "see the rights in the manual");
        }
        return refusal.isEmpty()
                ? Finding.ok(subject, "waiters can be notified")
                : new Finding(
                        subject,
                        Severity.WARNING,
                        "waiters are not notified and poll: " + refusal,
                        "give the user PUBLISH, SUBSCRIBE and the channels " + options.keyPrefix() + ":*");
    }

    /** A server that is full or lacks replicas, and a user who may only read, answer everything else. */
    private Finding writes(RedisLink.Node node) {
        String subject = subject(node, "writes");
        try {
            node.run(WRITE, options.keyPrefix() + ":doctor");
            return Finding.ok(subject, "locks can be written");
        } catch (BackendException e) {
            return new Finding(
                    subject,
                    Severity.PROBLEM,
                    String.valueOf(e.getMessage()),
                    "no lock can be acquired until this is mended");
        }
    }

    private Finding version(RedisLink.Node node, Map<String, String> info) {
        String version = info.getOrDefault("redis_version", "unknown");
        String[] parts = (version + ".0.0").split("\\.", -1);
        boolean old;
        try {
            int major = Integer.parseInt(parts[0]);
            old = major < MAJOR || (major == MAJOR && Integer.parseInt(parts[1]) < MINOR);
        } catch (NumberFormatException strange) {
            old = true;
        }
        return old
                ? new Finding(subject(node, "version"), Severity.PROBLEM, version, "use Redis 6.2 or later, or Valkey")
                : Finding.ok(subject(node, "version"), version);
    }

    private Finding eviction(RedisLink.Node node, Map<String, String> info, String policy) {
        String subject = subject(node, "maxmemory-policy");
        if (policy.equals("noeviction")) {
            return Finding.ok(subject, policy);
        }
        boolean limited = !info.getOrDefault("maxmemory", "0").equals("0");
        return options.tokenMode() == TokenMode.COUNTER
                ? new Finding(
                        subject,
                        Severity.PROBLEM,
                        policy + ": counters can be evicted, and tokens then start again at 1",
                        "set maxmemory-policy to noeviction, or use clock floor tokens")
                : new Finding(
                        subject,
                        limited ? Severity.WARNING : Severity.OK,
                        policy
                                + (limited
                                        ? ": a running lease can be evicted and the lock be granted twice"
                                        : ", but maxmemory is not set"),
                        limited ? "set maxmemory-policy to noeviction" : "");
    }

    private Finding persistence(RedisLink.Node node, Map<String, String> info) {
        String subject = subject(node, "persistence");
        if (info.getOrDefault("aof_enabled", "0").equals("1")) {
            return info.getOrDefault("aof_last_write_status", "ok").equals("ok")
                    ? Finding.ok(subject, "append-only file")
                    : new Finding(
                            subject, Severity.PROBLEM, "the append-only file cannot be written", "check the disk");
        }
        return new Finding(
                subject,
                options.tokenMode() == TokenMode.COUNTER ? Severity.PROBLEM : Severity.WARNING,
                "no append-only file: a restart loses leases"
                        + (options.tokenMode() == TokenMode.COUNTER
                                ? " and counters, and tokens start again"
                                : "; tokens still grow"),
                "set appendonly to yes");
    }

    private Finding fsync(RedisLink.Node node, String policy) {
        String subject = subject(node, "appendfsync");
        return switch (policy) {
            case "always" -> Finding.ok(subject, policy);
            case "everysec" ->
                new Finding(
                        subject,
                        Severity.WARNING,
                        policy + ": a power failure loses the last second; a kill of the server loses nothing",
                        "set appendfsync to always if that matters");
            default ->
                new Finding(
                        subject,
                        Severity.WARNING,
                        policy + ": a power failure loses what the system had not flushed",
                        "set appendfsync to everysec or always");
        };
    }

    private Finding replicas(RedisLink.Node node, Map<String, String> info, String least) {
        String subject = subject(node, "replicas");
        String connected = info.getOrDefault("connected_slaves", "0");
        String detail = info.getOrDefault("role", "unknown") + ", " + connected + " connected, min-replicas-to-write "
                + (least.isEmpty() ? "unknown" : least);
        if (!info.getOrDefault("role", "master").equals("master")) {
            return new Finding(subject, Severity.PROBLEM, detail, "name the master");
        }
        if (Integer.parseInt(connected) < options.acknowledgement().replicas()) {
            return new Finding(
                    subject,
                    Severity.PROBLEM,
                    detail + ", " + options.acknowledgement().replicas() + " must acknowledge",
                    "add replicas or ask fewer for acknowledgement");
        }
        return connected.equals("0") || !least.equals("0")
                ? Finding.ok(subject, detail)
                : new Finding(
                        subject,
                        Severity.WARNING,
                        detail + ": a master without its replicas continues to grant",
                        "set min-replicas-to-write to 1 and min-replicas-max-lag to 10");
    }

    private Finding cluster(RedisLink.Node node) {
        String state = node.clusterState();
        return state.equals("ok")
                ? Finding.ok(subject(node, "cluster"), state)
                : new Finding(subject(node, "cluster"), Severity.PROBLEM, state, "see CLUSTER INFO and CLUSTER NODES");
    }

    /** Reports the best of several measurements; its error is half of the round trip. */
    private Finding clock(RedisLink.Node node) {
        long skew = 0;
        long uncertainty = Long.MAX_VALUE;
        for (int i = 0; i < 5; i++) {
            long sent = System.currentTimeMillis() * 1_000;
            long began = System.nanoTime();
            long server = node.micros();
            long half = (System.nanoTime() - began) / 2_000;
            if (half < uncertainty) {
                uncertainty = half;
                skew = server - sent - half;
            }
        }
        String detail = (skew / 1_000) + " ms from ours, ± " + (uncertainty / 1_000 + 1) + " ms";
        return Math.abs(skew) > SKEW_MICROS + uncertainty
                ? new Finding(
                        subject(node, "clock"),
                        Severity.WARNING,
                        detail + "; leases end by the server's clock",
                        "synchronize the clocks of all servers, above all those of replicas")
                : Finding.ok(subject(node, "clock"), detail);
    }

    private Finding setting(RedisLink.Node node, String name, Function<String, Finding> finding) {
        try {
            return finding.apply(node.setting(name));
        } catch (BackendException e) {
            return unknown(node, name, "CONFIG GET", e);
        }
    }

    private static Finding unknown(RedisLink.Node node, String what, String command, BackendException e) {
        return new Finding(
                subject(node, what),
                Severity.WARNING,
                command + " is refused (" + e.code() + "), as is usual for hosted Redis",
                "check it with your provider");
    }

    private static String subject(RedisLink.Node node, String what) {
        return what + " of " + node.name();
    }
}
