package dev.weir.cli;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.members;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaMember;
import com.tngtech.archunit.core.importer.ImportOption.DoNotIncludeTests;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import java.util.List;
import java.util.Set;

/**
 * No public name is a hard keyword of Kotlin, where it could be written in backticks only.
 *
 * <p>Parameters may be: Kotlin does not name those of Java methods.
 */
@AnalyzeClasses(packages = "dev.weir", importOptions = DoNotIncludeTests.class)
class PublicNamesTest {
    private static final Set<String> KEYWORDS = Set.of(
            "as",
            "break",
            "class",
            "continue",
            "do",
            "else",
            "false",
            "for",
            "fun",
            "if",
            "in",
            "interface",
            "is",
            "null",
            "object",
            "package",
            "return",
            "super",
            "this",
            "throw",
            "true",
            "try",
            "typealias",
            "typeof",
            "val",
            "var",
            "when",
            "while");

    @ArchTest
    static final ArchRule members_areNoKeywordsOfKotlin = members()
            .that()
            .arePublic()
            .or()
            .areProtected()
            .should(new ArchCondition<>("need no backticks in Kotlin") {
                @Override
                public void check(JavaMember member, ConditionEvents events) {
                    if (KEYWORDS.contains(member.getName())) {
                        events.add(SimpleConditionEvent.violated(member, member.getFullName()));
                    }
                }
            });

    @ArchTest
    static final ArchRule packages_areNoKeywordsOfKotlin = classes()
            .should(new ArchCondition<>("be in packages that need no backticks in Kotlin") {
                @Override
                public void check(JavaClass type, ConditionEvents events) {
                    List<String> parts = List.of(type.getPackageName().split("\\.", -1));
                    if (parts.stream().anyMatch(KEYWORDS::contains)) {
                        events.add(SimpleConditionEvent.violated(type, type.getName()));
                    }
                }
            });
}
