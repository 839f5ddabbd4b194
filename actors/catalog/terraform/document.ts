/** The parts of a plan document that are read here; everything else is ignored. */
import { matches, t, type Static } from '#engine/value/schema.ts'

const text = t.Optional(t.String())
const anything = t.Optional(t.Unknown())

const resource = {
  address: t.String(),
  mode: text,
  type: t.String(),
  name: text,
  module_address: text,
  deposed: text,
  deposed_key: text,
  previous_address: text,
}
const resourceSchema = t.Object({ ...resource, values: anything, sensitive_values: anything })
const changeSchema = t.Object({
  ...resource,
  change: t.Object({
    actions: t.Array(t.String()),
    before: anything,
    after: anything,
    after_unknown: anything,
    before_sensitive: anything,
    after_sensitive: anything,
  }),
})
const moduleSchema = t.Object({
  address: text,
  resources: t.Optional(t.Array(resourceSchema)),
  child_modules: t.Optional(t.Array(t.Unknown())),
})
const moduleConfigurationSchema = t.Object({
  resources: t.Optional(
    t.Array(t.Object({ mode: text, type: text, name: text, provider_config_key: text, expressions: anything })),
  ),
  outputs: t.Optional(t.Record(t.String(), t.Object({ expression: anything }))),
  module_calls: t.Optional(t.Record(t.String(), t.Object({ module: anything, expressions: anything }))),
})
const providerSchema = t.Object({
  module_address: text,
  // Besides expressions there are nested blocks, in lists.
  expressions: t.Optional(t.Record(t.String(), t.Unknown())),
})
const configurationSchema = t.Object({
  provider_config: t.Optional(t.Record(t.String(), providerSchema)),
  root_module: anything,
})
const documentSchema = t.Object({
  planned_values: t.Optional(t.Object({ root_module: anything })),
  resource_changes: t.Optional(t.Array(changeSchema)),
  deferred_changes: t.Optional(t.Array(t.Object({ resource_change: t.Optional(changeSchema) }))),
  prior_state: t.Optional(t.Object({ values: t.Optional(t.Object({ root_module: anything })) })),
  configuration: t.Optional(configurationSchema),
  variables: t.Optional(t.Record(t.String(), t.Object({ value: anything }))),
  complete: t.Optional(t.Boolean()),
})
const expressionSchema = t.Object({ constant_value: anything, references: t.Optional(t.Array(t.String())) })

export type TerraformResource = Static<typeof resourceSchema>
export type TerraformChange = Static<typeof changeSchema>
export type Configuration = Static<typeof configurationSchema>
export type Variables = NonNullable<Static<typeof documentSchema>['variables']>
export type Document = Static<typeof documentSchema>

/** Modules contain modules, so each is checked when it is reached. Undefined if it is missing or malformed. */
export const moduleOf = (of: unknown) => (matches(moduleSchema, of) ? of : undefined)
const moduleConfigurationOf = (of: unknown) => (matches(moduleConfigurationSchema, of) ? of : undefined)
export const expressionOf = (of: unknown) => (matches(expressionSchema, of) ? of : undefined)

export type ModuleConfiguration = Static<typeof moduleConfigurationSchema>

/** Names of the module calls that lead to a module, without the keys of instances: `module.a["x"].module.b` is a, b. */
export function moduleCallsOf(module: string): string[] {
  const path = module.replaceAll(/\["(?:[^"\\]|\\.)*"\]|\[\d+\]/g, '')
  return path === '' ? [] : path.replace(/^module\./, '').split('.module.')
}

/** The configuration of the module that these calls lead to; undefined if it is missing or malformed. */
export function configurationOfModule(of: Configuration, calls: readonly string[]): ModuleConfiguration | undefined {
  let at = moduleConfigurationOf(of.root_module)
  for (const call of calls) at = moduleConfigurationOf(at?.module_calls?.[call]?.module)
  return at
}

/** What the configuration says of a managed resource, whatever its instance. */
export const declarationOf = (of: ModuleConfiguration | undefined, { type, name }: { type: string; name?: string }) =>
  of?.resources?.find((one) => one.type === type && one.name === name && one.mode !== 'data')

/** @throws Error with one sentence if it is not a readable plan */
export function documentOf(bytes: Buffer): Document {
  if (bytes.length === 0) throw new Error('is empty.')
  if (bytes.subarray(0, 2).toString('latin1') === 'PK')
    throw new Error('is a binary plan file. Use the output of terraform show -json for that plan.')
  const text = textOf(bytes)
  const parsed = parsedOf(text)
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed))
    throw new Error('is not a Terraform plan.')
  refuseOthers(parsed as Record<string, unknown>)
  if (!matches(documentSchema, parsed)) throw new Error('is not a Terraform plan: it does not match the plan format.')
  return parsed
}

/** PowerShell saves the output of commands as UTF-16. */
function textOf(bytes: Buffer): string {
  const isWide = bytes[0] === 0xff && bytes[1] === 0xfe
  return bytes.toString(isWide ? 'utf16le' : 'utf8').replace(/^\uFEFF/, '')
}

/** The parser's message would quote the file, which may contain secrets. */
function parsedOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    if (/^\s*\{"@level"/.test(text))
      throw new Error('is the log of terraform plan -json. Use the output of terraform show -json for the plan.')
    throw new Error('is not valid JSON.')
  }
}

function refuseOthers(document: Record<string, unknown>): void {
  const isState = 'lineage' in document || ('values' in document && !('planned_values' in document))
  if (isState) throw new Error('is a Terraform state, not a plan. Use the output of terraform show -json for a plan.')
  const { format_version: version, errored } = document
  if (typeof version !== 'string') throw new Error('is not a Terraform plan: it has no format_version.')
  if (!/^1\.\d+$/.test(version))
    throw new Error(`has plan format ${JSON.stringify(version).slice(0, 40)}; only 1.x is supported.`)
  if (errored === true) throw new Error('is a plan that ended in errors, so it is incomplete.')
  if (!('planned_values' in document) && !('resource_changes' in document)) throw new Error('is not a Terraform plan.')
}
