package io.fenceline.redis;

import io.fenceline.Effect;
import io.fenceline.redis.LettuceStore.Session;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** One server, asked for people. */
record LettuceNode(String name, LettuceLink link, Session session, RedisClusterAsyncCommands<String, String> commands)
        implements RedisLink.Node {

    @Override
    public List<?> run(Script script, String... arguments) {
        return link.run(session, commands, script, new String[0], arguments);
    }

    @Override
    public Map<String, String> info() {
        return fields(link.answer(session, Effect.NONE, commands.info()));
    }

    @Override
    public String setting(String name) {
        return link.answer(session, Effect.NONE, commands.configGet(name)).getOrDefault(name, "");
    }

    @Override
    public long micros() {
        List<String> time = link.answer(session, Effect.NONE, commands.time());
        return Long.parseLong(time.get(0)) * 1_000_000 + Long.parseLong(time.get(1));
    }

    @Override
    public String clusterState() {
        return fields(link.answer(session, Effect.NONE, commands.clusterInfo())).getOrDefault("cluster_state", "");
    }

    private static Map<String, String> fields(String lines) {
        return lines.lines()
                .filter(line -> line.indexOf(':') > 0)
                .collect(Collectors.toMap(
                        line -> line.substring(0, line.indexOf(':')),
                        line -> line.substring(line.indexOf(':') + 1).strip(),
                        (first, second) -> first));
    }
}
