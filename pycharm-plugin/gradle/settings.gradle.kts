// Not run here: see build.gradle.kts.
rootProject.name = "uncuda"
