package io.fenceline.kafka;

import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.io.Writer;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Properties;
import java.util.stream.Stream;
import kafka.server.KafkaConfig;
import kafka.server.KafkaRaftServer;
import kafka.tools.StorageTool;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.apache.kafka.common.utils.Time;

/** A real broker, alone and its own controller, in this process. */
final class KafkaBroker implements AutoCloseable {

    private static final String CLUSTER = "AAAAAAAAAAAAAAAAAAAAAQ";

    private final KafkaRaftServer server;
    private final String address;

    private KafkaBroker(KafkaRaftServer server, String address) {
        this.server = server;
        this.address = address;
    }

    static KafkaBroker start(Path folder, String... topics) throws Exception {
        int port = freePort();
        int control = freePort();
        Properties settings = settings(folder.resolve("log"), port, control);
        format(folder.resolve("server.properties"), settings);
        KafkaRaftServer server = new KafkaRaftServer(KafkaConfig.fromProps(settings, false), Time.SYSTEM);
        server.startup();
        KafkaBroker broker = new KafkaBroker(server, "127.0.0.1:" + port);
        try (Admin admin = Admin.create(broker.clientSettings())) {
            admin.createTopics(Stream.of(topics)
                            .map(topic -> new NewTopic(topic, 1, (short) 1))
                            .toList())
                    .all()
                    .get();
        }
        return broker;
    }

    private static Properties settings(Path log, int port, int control) {
        Properties settings = new Properties();
        settings.put("process.roles", "broker,controller");
        settings.put("node.id", "1");
        settings.put("controller.listener.names", "CONTROLLER");
        settings.put("listeners", "PLAINTEXT://127.0.0.1:" + port + ",CONTROLLER://127.0.0.1:" + control);
        settings.put("listener.security.protocol.map", "CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT");
        settings.put("controller.quorum.voters", "1@127.0.0.1:" + control);
        settings.put("log.dirs", log.toString());
        settings.put("offsets.topic.num.partitions", "1");
        settings.put("offsets.topic.replication.factor", "1");
        settings.put("transaction.state.log.num.partitions", "1");
        settings.put("transaction.state.log.replication.factor", "1");
        settings.put("transaction.state.log.min.isr", "1");
        settings.put("group.initial.rebalance.delay.ms", "0");
        return settings;
    }

    private static void format(Path file, Properties settings) throws IOException {
        try (Writer writer = Files.newBufferedWriter(file)) {
            settings.store(writer, null);
        }
        PrintStream quiet = new PrintStream(OutputStream.nullOutputStream(), false, StandardCharsets.UTF_8);
        int status = StorageTool.execute(new String[] {"format", "-t", CLUSTER, "-c", file.toString()}, quiet);
        if (status != 0) {
            throw new IOException("Kafka's storage could not be formatted: status " + status);
        }
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    Properties clientSettings() {
        Properties settings = new Properties();
        settings.put("bootstrap.servers", address);
        return settings;
    }

    Map<String, Object> producerSettings() {
        return Map.of(
                "bootstrap.servers", address,
                "key.serializer", StringSerializer.class,
                "value.serializer", StringSerializer.class);
    }

    Map<String, Object> consumerSettings(String group) {
        return Map.of(
                "bootstrap.servers",
                address,
                "group.id",
                group,
                "enable.auto.commit",
                "false",
                "auto.offset.reset",
                "earliest",
                "isolation.level",
                "read_committed",
                "key.deserializer",
                StringDeserializer.class,
                "value.deserializer",
                StringDeserializer.class);
    }

    @Override
    public void close() {
        server.shutdown();
        server.awaitShutdown();
    }
}
