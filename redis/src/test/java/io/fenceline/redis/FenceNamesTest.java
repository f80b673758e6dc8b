package io.fenceline.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.fenceline.ResourceName;
import io.lettuce.core.cluster.SlotHash;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class FenceNamesTest {

    private static final FenceNames NAMES = new FenceNames("fenceline");

    @ParameterizedTest
    @CsvSource({
        "invoice:42, fenceline:fence:{invoice:42}",
        "{a}:b, fenceline:fence:{a}:{a}:b",
        "a{b}c{d}, fenceline:fence:{b}:a{b}c{d}",
        "{{a}}, fenceline:fence:{{a}:{{a}}",
        "a{b, fenceline:fence:{a{b}:a{b",
    })
    void keepTheTagOfAKeyThatHasOne(String key, String fence) {
        assertThat(NAMES.fence(ResourceName.of(key))).isEqualTo(fence);
    }

    @ParameterizedTest
    @ValueSource(strings = {"}", "{}", "a}b", "{}a{b}", "}{", "}}{{", "{}{}", "{}:fence"})
    void findANumberInTheSlotOfAKeyWithoutATagThatHasAClosingBrace(String key) {
        assertThat(NAMES.fence(ResourceName.of(key))).matches("fenceline:fence:\\{[0-9]{1,6}}:.*");
        assertSameSlot(key);
    }

    @Test
    void lieInTheSlotOfTheirKeyAndAreSharedByNoOther() {
        Random random = new Random(42);
        Map<String, String> keys = new HashMap<>();
        for (int i = 0; i < 20_000; i++) {
            StringBuilder key = new StringBuilder("k".repeat(random.nextInt(2)));
            for (int j = random.nextInt(7); j >= 0; j--) {
                key.append("{}ab:1\u00e9".charAt(random.nextInt(7)));
            }
            String other = keys.put(NAMES.fence(ResourceName.of(key.toString())), key.toString());

            assertThat(other).isIn(null, key.toString());
            assertSameSlot(key.toString());
            assertThat(NAMES.key(NAMES.fence(ResourceName.of(key.toString())))).isEqualTo(key.toString());
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "fenceline:{lock}",
                "fenceline:fence:{invoice:42}",
                "fenceline:clock:{books}",
                "fenceline:fence-audit:{a}"
            })
    void areNoKeysForData(String own) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> NAMES.data(own))
                .withMessageContaining(own)
                .withMessageContaining("keyPrefix");
    }

    private static void assertSameSlot(String key) {
        assertThat(SlotHash.getSlot(NAMES.fence(ResourceName.of(key)))).as(key).isEqualTo(SlotHash.getSlot(key));
        assertThat(SlotHash.getSlot(NAMES.audit(ResourceName.of(key)))).as(key).isEqualTo(SlotHash.getSlot(key));
    }
}
