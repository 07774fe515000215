// Not run in this project: see build.gradle.kts.
rootProject.name = "uncuda"
