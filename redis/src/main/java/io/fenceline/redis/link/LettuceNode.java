package io.fenceline.redis.link;

import io.fenceline.Effect;
import io.fenceline.redis.link.LettuceStore.Server;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.stream.Collectors;

/** Admin commands (INFO, CONFIG GET, TIME) on one node, for {@code doctor}. */
record LettuceNode(String name, LettuceLink link, CompletableFuture<Server> connecting) implements RedisLink.Node {

    @Override
    public List<?> run(RedisScript script, String... arguments) {
        return link.run(ReplyDeadline.none(), server(), script, new String[0], arguments);
    }

    @Override
    public Map<String, String> info() {
        return fields(answer(server().commands().info()));
    }

    @Override
    public String setting(String name) {
        return answer(server().commands().configGet(name)).getOrDefault(name, "");
    }

    @Override
    public long micros() {
        List<String> time = answer(server().commands().time());
        return Long.parseLong(time.get(0)) * 1_000_000 + Long.parseLong(time.get(1));
    }

    @Override
    public String clusterState() {
        return fields(answer(server().commands().clusterInfo())).getOrDefault("cluster_state", "");
    }

    private Server server() {
        return link.ready(name, connecting);
    }

    private <T> T answer(CompletionStage<T> command) {
        return link.answer(ReplyDeadline.none(), server(), Effect.NONE, command);
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
