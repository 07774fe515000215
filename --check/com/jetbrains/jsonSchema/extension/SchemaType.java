package com.jetbrains.jsonSchema.extension;

public enum SchemaType { embeddedSchema }