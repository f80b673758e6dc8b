package io.fenceline.servers;

/** Starts a server, prints its port, and waits to be killed. */
final class RedisInAnotherJvm {

    private RedisInAnotherJvm() {}

    public static void main(String[] unused) throws InterruptedException {
        System.out.println(RedisServer.start(RedisSettings.inMemory()).port());
        Thread.sleep(60_000);
    }
}
