package io.fenceline.jdbc.guard;

import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.io.ByteArrayInputStream;
import java.io.StringReader;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ColumnsTest {

    /** {@link FencedTable#put} sends its values again where there is no row yet. */
    @Test
    void takeNoValueThatCanBeSentOnceOnly() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Columns.set("status", "new").and("scan", new ByteArrayInputStream(new byte[1])))
                .withMessageContaining("column scan is given a stream");
        assertThatIllegalArgumentException().isThrownBy(() -> Columns.of(Map.of("note", new StringReader("new"))));
    }

    @Test
    void areSetOnce() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Columns.set("status", "new").and("status", "old"))
                .withMessage("column status is set twice");
    }
}
