export { type CoercedText, coerceText, expectedText } from './coerce-text.ts';
export {
  type ConfigLayer,
  listLeafPaths,
  type MergedConfig,
  mergeLayers,
  mergeObjects,
  plainLayer,
  valueAt,
  withValueAt,
} from './config-layer.ts';
export { withEnvFile } from './env-file.ts';
export { type ExpandedValues, expandVariables, type Variables } from './expand-variables.ts';
export {
  describeFields,
  type FieldDescription,
  type FieldType,
  findField,
  listLeafFields,
} from './field-description.ts';
export { guardSecrets } from './guard-secrets.ts';
export { type FlagOptions, type ParsedFlags, parseFlags, readFlag } from './parse-flags.ts';
export { maxConfigFileChars, parseYamlConfig } from './parse-yaml-config.ts';
export {
  listVariableNames,
  type ReadVariables,
  readVariables,
  type VariableName,
  type VariableOptions,
} from './read-variables.ts';
export { collectSecrets, redactConfig } from './redact-config.ts';
export { type FieldHelpOptions, renderFieldHelp } from './render-field-help.ts';
export { secretField } from './secret-field.ts';
export { type CheckedLayer, checkUnknownKeys, findUnknownKeys, type UnknownKey } from './unknown-keys.ts';
export { validateConfig } from './validate-config.ts';
export { collectVariableSecrets, isSecretName, secretsInAddress } from './variable-secrets.ts';
