package io.fenceline.spring.boot.orders;

import io.fenceline.spring.Locked;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.SpringApplication;
import org.springframework.context.annotation.Import;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;

/** A node that begins a job under a lock, and says so; a program of its own. */
@AutoConfigured
@EnableScheduling
@Import(JobNode.Job.class)
public class JobNode {

    /** Runs the node until it is told to end. */
    public static void main(String[] arguments) {
        SpringApplication.run(JobNode.class, arguments);
    }

    /** The job. */
    public static class Job {

        private final long millis;

        Job(@Value("${job.millis}") long millis) {
            this.millis = millis;
        }

        /** Works for a while. */
        @Scheduled(fixedDelay = 3_600_000)
        @Locked("job")
        public void work() {
            System.out.println("job begun");
            try {
                boolean unused = new CountDownLatch(1).await(millis, TimeUnit.MILLISECONDS);
                System.out.println("job ended");
            } catch (InterruptedException e) {
                System.out.println("job interrupted");
            }
        }
    }
}
