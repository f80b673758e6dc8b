package io.fenceline.redis;

import io.fenceline.Effect;
import io.fenceline.redis.LettuceStore.Server;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.stream.Collectors;

/** One server, asked for people. */
record LettuceNode(String name, LettuceLink link, Server server) implements RedisLink.Node {

    @Override
    public List<?> run(Script script, String... arguments) {
        return link.run(Deadline.none(), server, script, new String[0], arguments);
    }

    @Override
    public Map<String, String> info() {
        return fields(answer(server.commands().info()));
    }

    @Override
    public String setting(String name) {
        return answer(server.commands().configGet(name)).getOrDefault(name, "");
    }

    @Override
    public long micros() {
        List<String> time = answer(server.commands().time());
        return Long.parseLong(time.get(0)) * 1_000_000 + Long.parseLong(time.get(1));
    }

    @Override
    public String clusterState() {
        return fields(answer(server.commands().clusterInfo())).getOrDefault("cluster_state", "");
    }

    private <T> T answer(CompletionStage<T> command) {
        return link.answer(Deadline.none(), server, Effect.NONE, command);
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
