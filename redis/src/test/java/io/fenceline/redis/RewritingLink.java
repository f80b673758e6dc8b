package io.fenceline.redis;

import io.fenceline.redis.link.RedisLink;
import io.fenceline.redis.link.RedisScript;
import io.fenceline.redis.link.ReplyDeadline;
import io.fenceline.redis.link.ScriptBatch;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.function.UnaryOperator;

/** Sends scripts with a changed text, and calls that can share a command by themselves; if {@code inBatches} in a batch of one. */
record RewritingLink(RedisLink link, boolean inBatches, UnaryOperator<String> change) implements RedisLink {

    private RedisScript changed(RedisScript script) {
        return RedisScript.of(script.changes(), change.apply(script.text()));
    }

    @Override
    public List<?> run(ReplyDeadline deadline, RedisScript script, String[] keys, String... arguments) {
        return link.run(deadline, changed(script), keys, arguments);
    }

    @Override
    public List<?> run(ReplyDeadline deadline, ScriptBatch batch, RedisScript script, String key, String... arguments) {
        String[] keys = {key};
        if (!inBatches) {
            return run(deadline, script, keys, arguments);
        }
        List<String> all = new ArrayList<>(batch.header(script, arguments));
        all.addAll(List.of(arguments));
        Object reply = run(deadline, batch.together(), keys, all.toArray(String[]::new))
                .get(0);
        if (reply instanceof String error) {
            throw new AssertionError(error);
        }
        return reply instanceof List<?> list ? list : List.of(reply);
    }

    @Override
    public CompletionStage<?> send(RedisScript script, String[] keys, String... arguments) {
        return link.send(changed(script), keys, arguments);
    }

    @Override
    public Acknowledged runAcknowledged(
            ReplyDeadline deadline,
            int replicas,
            Duration wait,
            RedisScript script,
            String[] keys,
            String... arguments) {
        return link.runAcknowledged(deadline, replicas, wait, changed(script), keys, arguments);
    }

    @Override
    public boolean isCluster() {
        return link.isCluster();
    }

    @Override
    public void listen(ReplyDeadline deadline, String channel, Listener listener) {
        link.listen(deadline, channel, listener);
    }

    @Override
    public boolean isListening() {
        return link.isListening();
    }

    @Override
    public List<Node> masters() {
        return link.masters().stream()
                .<Node>map(node -> new RewritingNode(node, this))
                .toList();
    }

    @Override
    public void close() {
        link.close();
    }

    private record RewritingNode(RedisLink.Node node, RewritingLink link) implements RedisLink.Node {

        @Override
        public String name() {
            return node.name();
        }

        @Override
        public List<?> run(RedisScript script, String... arguments) {
            return node.run(link.changed(script), arguments);
        }

        @Override
        public Map<String, String> info() {
            return node.info();
        }

        @Override
        public String setting(String name) {
            return node.setting(name);
        }

        @Override
        public long micros() {
            return node.micros();
        }

        @Override
        public String clusterState() {
            return node.clusterState();
        }
    }
}
