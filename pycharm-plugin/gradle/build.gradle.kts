// NOT RUN HERE: written according to JetBrains' documentation of the IntelliJ Platform Gradle Plugin 2.x, for
// people who can reach JetBrains' repositories. It builds the same sources against a real PyCharm, with `gradle runIde`,
// `gradle verifyPlugin` and `gradle publishPlugin`. Maven's build (`make pycharm`) is tested, and also runs the unit tests.
// Needs Gradle 9 and a JDK 21, and the server's bundle: ../../server/scripts/bundle ../target/bundle
plugins {
    id("java")
    id("org.jetbrains.intellij.platform") version "2.13.1"
}

group = "uncuda"
version = "0.1.0"

repositories {
    mavenCentral()
    intellijPlatform { defaultRepositories() }
}

dependencies {
    intellijPlatform {
        pycharm("2025.2.1.1") // the oldest that is served; its classes are of Java 21, ours of 17
        bundledPlugin("com.intellij.modules.json") // for the schema of uncuda.toml, where the IDE has it
        pluginVerifier()
        zipSigner()
    }
}

java {
    toolchain { languageVersion = JavaLanguageVersion.of(21) }
}

tasks.withType<JavaCompile>().configureEach {
    options.release = 17
    options.encoding = "UTF-8"
}

sourceSets.main {
    java.srcDir("../plugin/src/main/java")
    resources.srcDir("../plugin/src/main/resources")
}

tasks.processResources {
    from("../../docs") { include("uncuda.schema.json") }
    from("../..") {
        include("LICENSE", "NOTICE")
        into("META-INF")
    }
}

intellijPlatform {
    buildSearchableOptions = false // would start the IDE
    instrumentCode = false // there are no forms, and no annotations
    pluginConfiguration {
        ideaVersion {
            // otherwise the versions of the PyCharm above would replace those in plugin.xml
            sinceBuild = "252.25557"
            untilBuild = provider { null }
        }
    }
    signing {
        certificateChain = providers.environmentVariable("CERTIFICATE_CHAIN")
        privateKey = providers.environmentVariable("PRIVATE_KEY")
        password = providers.environmentVariable("PRIVATE_KEY_PASSWORD")
    }
    publishing { token = providers.environmentVariable("PUBLISH_TOKEN") }
    pluginVerification { ides { recommended() } }
}

tasks.prepareSandbox {
    from("../target/bundle") {
        exclude("**/__pycache__/**")
        into("uncuda/server") // beside lib, where Bundle.java looks
    }
}
