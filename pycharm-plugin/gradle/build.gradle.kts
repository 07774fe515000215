// NOT RUN HERE. For people who reach JetBrains' repositories: the same sources against a real PyCharm, with
// `gradle runIde`, `gradle verifyPlugin` and `gradle publishPlugin`. Tested is Maven's build (`make pycharm`).
// Make the server's bundle first: ../../server/scripts/bundle ../target/bundle
plugins {
    id("java")
    id("org.jetbrains.intellij.platform") version "2.6.0"
}

group = "uncuda"
version = "0.1.0"

repositories {
    mavenCentral()
    intellijPlatform { defaultRepositories() }
}

dependencies {
    intellijPlatform { pycharm("2025.2.1") }
}

java {
    toolchain { languageVersion = JavaLanguageVersion.of(21) }
}

tasks.withType<JavaCompile> { options.release = 17 }

sourceSets.main {
    java.srcDir("../plugin/src/main/java")
    resources.srcDir("../plugin/src/main/resources")
}

intellijPlatform {
    buildSearchableOptions = false
    instrumentCode = false
    pluginVerification { ides { recommended() } }
}

tasks.prepareSandbox {
    from("../target/bundle") { into("uncuda/server") }
}
