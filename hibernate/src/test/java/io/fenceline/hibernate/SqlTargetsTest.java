package io.fenceline.hibernate;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Whether an SQL text writes to the table note. */
class SqlTargetsTest {

    @ParameterizedTest
    @ValueSource(
            strings = {
                "insert into note (id) values (1)",
                "INSERT\nINTO\t\"Note\"(id) values (1)",
                "insert into public.note select * from other",
                "insert ignore into `db`.`NOTE` set id = 1",
                "replace into note values (1)",
                "update note set text = 'x'",
                "UPDATE [dbo].[note] SET text = 'x'",
                "update only (note) as n set text = ''",
                "update other o join note n on n.id = o.id set n.text = ''",
                "delete from note",
                "delete n from other o join note n on n.id = o.id where 1 = 1",
                "delete from only note where id = 1",
                "merge into note t using other on (t.id = other.id) when matched then update set text = ''",
                "with d as (delete from note returning id) select * from d",
                "with x as (select 1) update note set text = ''",
                "select * from final table (update note set text = '')",
                "select 1; delete from note",
                "/* hidden */ delete /* more */ from -- note\n note",
                "/*!50000 delete from note */",
                "update /* again (see 4) */ note set text = ''",
                "insert /*+ hint(x) */ into note (id) values (1)",
                "truncate /* all (of it) */ table note",
                "delete from -- the last; all\n note",
                "update (select 1 as x) s, note set text = ''",
                "do $$ begin update note set text = ''; end $$",
                "prepare s from 'delete from note'",
                "delete n from (select id from other where id = 1) o join note n on n.id = o.id",
                "delete o from other o join other p on p.id in (select id from x where 1 = 1 returning id) join note n",
                "update other o join x on cast(x.a as char character set utf8mb4) = o.a join note n set n.text = ''",
                "delete from other as `where` using other join note n",
                "update other `set` join note n on n.id = `set`.id set n.text = ''",
                "update other o join x on x.a = \"; set )\" join note n set n.text = ''",
                "update other o join x on x.a = 'it\\' set' join note n set n.text = ''",
                "update .note set text = ''",
                "/*!50000update note set text = ''*/",
                "/*M!100100delete from note*/",
                "/* for */ /*!delete*/ from note",
                "do $$ begin execute $q$delete from note$q$; end $$",
                "do $$ declare c refcursor; begin open c for delete from note returning id; end $$",
                "prepare s from \"delete from note\"",
                "select execute('x', \"delete from note\")",
                "execute immediate \"update note set text = ''\"",
                "truncate other, note",
                "truncate table only public.note cascade",
                "truncate only (note)",
                "truncate table \"into\", only (note)",
                "copy note from stdin",
                "load data infile 'x' into table note",
                "alter table note drop partition p0",
                "drop table if exists note",
                "rename table note to gone",
                "insert into other values (1) on conflict do nothing; update note set text = ''",
                "-- all.\nupdate note set text = ''",
                "select 1. update note set text = ''",
                "update s.load l join note n on n.id = l.id set n.text = ''",
                "set statement max_statement_time = 1 for update note set text = ''",
                "SET STATEMENT max_statement_time = 1 FOR delete from note",
                "execute immediate 'update note set text = 1'",
                "update\"note\"set text = 'a', id = 1",
                "delete n, o from note n join other o on n.id = o.id",
                "load data infile 'a;b' into table note",
                "with s as (select '--') update /*)*/ note set text = ''",
                "/* job */ /* 2 */ update note set text = ''",
                "update /* nightly:\nset the texts */ note set text = ''",
                "update other o # the set\n join note n on n.id = o.id set n.text = ''",
                "delete n from other o join x on case when o.n = 1 then 1 else 2 end = x.n join note n on n.id = x.id",
                "delete from `when` using other `when` join note on note.id = `when`.id",
                "with x as (select '{}'::jsonb #>> '{a}' as a) update /* set the titles */ note set text = x.a from x",
                "update other o join x on o.n = x.n--1 and o.text <> 'not set' join note n on n.id = 1 set n.text = ''",
                "select $$/*$$; update note set text = ''; select $$*/$$",
                "execute immediate 'update /* set */ note set text = 1'",
                "select 'a\\'; update other o join x on x.a = ' set ' join note n set n.text = ''",
                "/* job */ /*! delete */ from note",
                "merge into only (note) t using other on t.id = other.id when matched then delete",
                "merge into note (id, text) key (id) select id, text from other",
                "delete note.* from note join other on other.id = note.id",
                "insert into note (id) values (1) on conflict (id) do update set text = ''",
                "create temporary table t on commit drop as select 1; delete from note",
                "update\u00a0note\u3000set text = ''",
                "delete from\u2003note",
                "delete // where\n from note",
                "do $$ begin perform $q$http://x$q$; update --)\n note set text = ''; end $$"
            })
    void findsWhatIsWritten(String sql) {
        assertThat(SqlTargets.of(sql).contains(SqlTargets.Table.of("note"))).isTrue();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "select * from note",
                "select * from note for update",
                "select * from other for no key update of note",
                "insert into other (id) select id from note",
                "update other set text = (select text from note)",
                "delete from other where id in (select id from note)",
                "delete from other returning (select max(id) from note)",
                "merge into other using note on (other.id = note.id) when matched then delete",
                "update notes set text = ''",
                "delete from my_note",
                "insert into other (id) values (1) on duplicate key update text = ''",
                "select replace(note.text, 'a', 'b') from note",
                "select truncate(note.id, 2) from note",
                "select n.load, n.\"drop\", n.`copy`, n.[rename] from note n where n.delete = 1",
                "create table other (id bigint references note on delete cascade)",
                "select case when n.text = 'UPDATE' then 1 else 0 end from note n",
                "select o.id from other o where o.kind = 'load' and exists (select 1 from note n where n.id = o.id)",
                "select n.id from copy c join note n on n.id = c.id",
                "select n.id from\n  \"load\" l join note n on n.id = l.id",
                "select n.id from note n, `drop` d, [copy] c where n.id = d.id",
                "update load set text = (select text from note)",
                "insert into replace (id) select id from note",
                "select load, \"drop\" , copy from note where rename = 1",
                "insert into other (load, note, id) values (?, ?, ?)",
                "insert into other (id, \"load\", note) values (?, ?, ?)",
                "update other set load=?, note=? where id=?",
                "update other set `drop` = ?, note = ? where alter > 1",
                "set statement max_statement_time = 1 for select * from note for update",
                "insert into note.other (id, text) values (1, '')",
                "update note.other set text = ''",
                "delete from \"note\".\"other\" where id = 1",
                "update a.note.other join `note`.x set text = ''",
                "insert into other (id) values (1) on conflict (id) do update set text = (select max(text) from note)",
                "merge into other using note on other.id = note.id when matched then update set text = note.text",
                "merge into other using note on 1 = 1 when matched and note.id > 1 then delete when not matched then"
                        + " insert (id) values (note.id)",
                "merge into other (id, text) key (id) select id, text from note",
                "merge into other (id, text) select id, text from note",
                "merge into other using x on 1 = 1 when matched then delete when not matched and exists (select 1 from note)"
                        + " then do nothing",
                "create temporary table t on commit drop as select * from note",
                "/* delete job: reads */ select id from note",
                " /* update-report */\n/* of note */ select id from note"
            })
    void letsReadsThrough(String sql) {
        assertThat(SqlTargets.of(sql).contains(SqlTargets.Table.of("note"))).isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = {"value", "as", "select", "from", "set", "where", "using", "overriding"})
    void aTableMayHaveTheNameOfAWordThatEndsATarget(String name) {
        for (String sql :
                List.of("insert into %s (id) values (1)", "update %s set id = 1", "delete from %s where id = 1")) {
            assertThat(SqlTargets.of(sql.formatted('`' + name + '`')).contains(SqlTargets.Table.of('`' + name + '`')))
                    .isTrue();
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"default", "value", "values", "as", "select", "set", "where", "using", "overriding", "returning"
            })
    void aSchemaMayHaveTheNameOfAWordThatEndsATarget(String schema) {
        for (String sql : List.of(
                "insert into \"%s\".note (id) values (1)",
                "update `%s`.`note` set id = 1",
                "delete from %s . note where id = 1",
                "merge into [%s].note t using other o on (t.id = o.id) when matched then delete")) {
            assertThat(SqlTargets.of(sql.formatted(schema)).contains(SqlTargets.Table.of("note")))
                    .as(sql)
                    .isTrue();
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "update note set text = ''",
                "update sales.note set text = ''",
                "insert into \"Sales\".\"note\" (id) values (1)",
                "delete from shop.sales.note",
                "delete from sales..note",
                "update .note set text = ''",
                "delete from .`note`",
                "update archive.note set text = ''; delete from sales.note"
            })
    void aTableIsKnownByItsSchemaOrWithout(String sql) {
        assertThat(SqlTargets.of(sql).contains(SqlTargets.Table.of("sales.note")))
                .isTrue();
    }

    @Test
    void aSchemaWithACatalogIsKnownByItself() {
        SqlTargets.Table table = SqlTargets.Table.of("\"X\".\"SALES\".note");
        assertThat(SqlTargets.of("update \"SALES\".note set text = ''").contains(table))
                .isTrue();
        assertThat(SqlTargets.of("update x.sales.note set text = ''").contains(table))
                .isTrue();
        assertThat(SqlTargets.of("update x.archive.note set text = ''").contains(table))
                .isFalse();
    }

    @Test
    void aTableMayHaveADotInItsName() {
        SqlTargets.Table table = SqlTargets.Table.of("sq.\"v1.2\"");
        assertThat(SqlTargets.of("update \"v1.2\" set text = ''").contains(table))
                .isTrue();
        assertThat(SqlTargets.of("update sq.\"v1.2\" set text = ''").contains(table))
                .isTrue();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "update archive.note set text = ''",
                "insert into archive.note (id) select id from sales.note",
                "delete from `archive`.note where id = 1"
            })
    void aTableOfAnotherSchemaIsAnotherOne(String sql) {
        assertThat(SqlTargets.of(sql).contains(SqlTargets.Table.of("sales.note")))
                .isFalse();
        assertThat(SqlTargets.of(sql).contains(SqlTargets.Table.of("note"))).isTrue();
    }

    /** It takes a second, and took minutes while the time grew with the square of the length. */
    @Test
    @Timeout(60)
    void areFoundInLongTextsToo() {
        String text = "We update the plan, insert what is new and delete what is old. ".repeat(10_000);

        String paths = "('/static/*'), ".repeat(30_000);
        assertThat(SqlTargets.of("select 1 " + "/*!1 ".repeat(50_000)).contains(SqlTargets.Table.of("note")))
                .isFalse();
        String copies = "insert into doc select * from note; ".repeat(10_000);

        assertThat(SqlTargets.of("insert into doc values " + paths + "(null)").contains(SqlTargets.Table.of("note")))
                .isFalse();
        assertThat(SqlTargets.of(copies).contains(SqlTargets.Table.of("note"))).isFalse();
        SqlTargets elsewhere = SqlTargets.of("insert into doc values ('" + text + "'); select 1 from note");
        SqlTargets here = SqlTargets.of("select '" + text + "'; update note set text = ''");

        assertThat(elsewhere.contains(SqlTargets.Table.of("page"))).isFalse();
        assertThat(here.contains(SqlTargets.Table.of("note"))).isTrue();
    }
}
