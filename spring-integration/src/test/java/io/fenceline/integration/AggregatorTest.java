package io.fenceline.integration;

import static org.assertj.core.api.Assertions.assertThat;

import io.fenceline.LockOptions;
import io.fenceline.Locks;
import io.fenceline.servers.PostgresServer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.integration.aggregator.AggregatingMessageHandler;
import org.springframework.integration.aggregator.DefaultAggregatingMessageGroupProcessor;
import org.springframework.integration.aggregator.HeaderAttributeCorrelationStrategy;
import org.springframework.integration.channel.QueueChannel;
import org.springframework.integration.config.EnableIntegration;
import org.springframework.integration.store.MessageGroup;
import org.springframework.integration.store.SimpleMessageStore;
import org.springframework.integration.support.MessageBuilder;
import org.springframework.messaging.Message;

/** Aggregators of two nodes on one message store: each group is worked on by one of them at a time, and released once, complete. */
class AggregatorTest {

    private static final int GROUPS = 10;
    private static final int SIZE = 8;

    private final SimpleMessageStore store = new SimpleMessageStore();
    private final QueueChannel output = new QueueChannel();
    private final Map<Object, Work> working = new ConcurrentHashMap<>();

    @EnableIntegration
    static class Configuration {}

    @Test
    void aGroupIsReleasedOnceAndComplete() throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(8);
        try (PostgresServer server = PostgresServer.start(Map.of());
                Locks first = Locks.open(server.uri());
                Locks second = Locks.open(server.uri());
                AnnotationConfigApplicationContext oneNode = node(first);
                AnnotationConfigApplicationContext otherNode = node(second)) {
            List<Future<?>> sent = new ArrayList<>();
            for (int i = 0; i < GROUPS * SIZE; i++) {
                AnnotationConfigApplicationContext node = i % 2 == 0 ? oneNode : otherNode;
                Message<Integer> message = MessageBuilder.withPayload(i)
                        .setHeader("group", "group" + i / SIZE)
                        .build();
                sent.add(threads.submit(
                        () -> node.getBean(AggregatingMessageHandler.class).handleMessage(message)));
            }
            for (Future<?> message : sent) {
                message.get();
            }
        } finally {
            threads.shutdownNow();
        }

        List<Message<?>> released = output.clear();
        assertThat(released).hasSize(GROUPS);
        assertThat(released)
                .allSatisfy(message -> assertThat((List<?>) message.getPayload())
                        .doesNotHaveDuplicates()
                        .hasSize(SIZE));
        assertThat(working.values()).hasSize(GROUPS).noneMatch(Work::met);
    }

    private AnnotationConfigApplicationContext node(Locks locks) {
        AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext();
        context.register(Configuration.class);
        context.registerBean(AggregatingMessageHandler.class, () -> {
            AggregatingMessageHandler aggregator = new AggregatingMessageHandler(
                    new DefaultAggregatingMessageGroupProcessor(),
                    store,
                    new HeaderAttributeCorrelationStrategy("group"),
                    this::isComplete);
            aggregator.setLockRegistry(FencelineLockRegistry.over(locks, LockOptions.defaults()));
            aggregator.setOutputChannel(output);
            aggregator.setExpireGroupsUponCompletion(true);
            return aggregator;
        });
        context.refresh();
        return context;
    }

    private boolean isComplete(MessageGroup group) {
        try {
            working.computeIfAbsent(group.getGroupId(), id -> new Work()).meetAnother(group.size() == 1);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
        return group.size() == SIZE;
    }

    /** The threads that work on a group. */
    private static final class Work {

        private int threads;
        private boolean met;

        /** The first thread gives others a moment to come, which they do where nodes do not exclude each other. */
        synchronized void meetAnother(boolean first) throws InterruptedException {
            threads++;
            met |= threads > 1;
            notifyAll();
            if (first && !met) {
                wait(100);
            }
            threads--;
        }

        synchronized boolean met() {
            return met;
        }
    }
}
