/** What a config of each kind is asked for, as fields: lists are typed as JSON, and refused with their place. */
import { numberOf } from '../allocation/draft.ts'
import type { Kind } from './words.ts'

export interface Field {
  name: string
  label: string
  type: 'text' | 'number' | 'boolean' | 'choice' | 'json'
  first: string
  choices?: readonly string[]
  hint?: string
  /** Left out of the config while it is empty. */
  isOptional?: boolean
}

const text = (name: string, label: string, first = '', more: Partial<Field> = {}): Field => ({
  name,
  label,
  type: 'text',
  first,
  ...more,
})
const number = (name: string, label: string, first: string, more: Partial<Field> = {}): Field => ({
  ...text(name, label, first, more),
  type: 'number',
})
const flag = (name: string, label: string, first = 'false'): Field => ({ ...text(name, label, first), type: 'boolean' })
const json = (name: string, label: string, first: unknown, hint: string): Field => ({
  ...text(name, label, JSON.stringify(first, null, 1), { hint }),
  type: 'json',
})
const name = text('name', 'Name', '', { hint: 'letters, digits, - and _, from a letter on' })

export const fieldsOf: Readonly<Record<Exclude<Kind, 'component'>, readonly Field[]>> = {
  datastore: [
    text('name', 'Name', '', { isOptional: true, hint: 'one is made up unless given' }),
    { ...text('engine', 'Engine', 'postgres'), type: 'choice', choices: ['postgres', 'mysql', 'redis'] },
    text('version', 'Version', '16.3'),
    text('instanceClass', 'Class', 'db.m5.large', { hint: 'as the cloud calls it' }),
    number('allocatedStorageGB', 'Storage, GB', '100', { hint: '0 for redis alone' }),
    flag('multiAZ', 'A second one stands by in another zone'),
    number('backupRetentionDays', 'Days that backups are kept', '7'),
  ],
  kubernetes: [
    name,
    text('version', 'Version', '1.31'),
    json(
      'nodeGroups',
      'Node groups',
      [{ name: 'general', instanceType: 'm5.large', min: 2, max: 6 }],
      'each with name, instanceType, min and max',
    ),
    text('vpcID', 'Network it is put into'),
    json('subnetIDs', 'Subnets of it', [''], 'a list of ids'),
  ],
  vm_pool: [
    name,
    text('instanceType', 'Size of a machine', 'm5.large', { hint: 'as the cloud calls it' }),
    number('min', 'Machines at least', '2'),
    number('max', 'Machines at most', '4'),
    flag('createLoadBalancer', 'A load balancer is put before it'),
    json('listenerPorts', 'Ports of the load balancer', [], 'a list such as [80, 443]; one at least where it is made'),
  ],
  network: [
    name,
    text('cidr', 'Range of addresses', '10.20.0.0/16'),
    json(
      'subnets',
      'Subnets',
      [{ name: 'private-a', cidr: '10.20.0.0/20', public: false }],
      'each with name, cidr, public, and a zone unless the cloud may choose',
    ),
  ],
  registry: [
    text('name', 'Name', '', { hint: 'small letters and digits between . _ - and /' }),
    flag('immutableTags', 'A tag that is pushed stays what it is', 'true'),
  ],
  load_balancer: [
    name,
    { ...text('scheme', 'Reached', 'internal'), type: 'choice', choices: ['internal', 'public'] },
    json(
      'listeners',
      'Listeners',
      [{ port: 443, protocol: 'HTTPS', targetPort: 8080 }],
      'each with port, protocol and targetPort',
    ),
    text('targetUID', 'Uid of what takes the traffic'),
  ],
}

interface Schema {
  type?: string
  enum?: readonly unknown[]
  anyOf?: readonly Schema[]
  default?: unknown
  description?: string
  properties?: Readonly<Record<string, Schema>>
}

const typeOf = (schema: Schema): Field['type'] => {
  if (
    schema.enum ||
    (schema.anyOf && schema.anyOf.every(({ enum: values, ...rest }) => values !== undefined || 'const' in rest))
  )
    return 'choice'
  if (schema.type === 'boolean') return 'boolean'
  if (schema.type === 'integer' || schema.type === 'number') return 'number'
  return schema.type === 'string' ? 'text' : 'json'
}

const given = (schema: Schema): string =>
  schema.default === undefined
    ? ''
    : typeof schema.default === 'string'
      ? schema.default
      : JSON.stringify(schema.default)

/** Of the values of a component, by the schema that the catalog shows: all may be left out. */
export const valueFields = (values: unknown): Field[] =>
  Object.entries((values as Schema | undefined)?.properties ?? {}).map(([key, schema]) => ({
    name: key,
    label: key,
    type: typeOf(schema),
    first: given(schema),
    isOptional: true,
    ...(schema.description && { hint: schema.description }),
    ...(typeOf(schema) === 'choice' && {
      choices: [
        ...(schema.enum ?? schema.anyOf!.flatMap((one) => one.enum ?? [(one as { const?: unknown }).const])),
      ].map(String),
    }),
  }))

const parsed = (value: string): unknown => {
  try {
    return JSON.parse(value)
  } catch {
    // The API says what is wrong with it.
    return value
  }
}

/** The config of what was typed. */
export const configOf = (fields: readonly Field[], typed: Readonly<Record<string, string>>): Record<string, unknown> =>
  Object.fromEntries(
    fields.flatMap(({ name: key, type, first, isOptional }) => {
      const value = typed[key] ?? first
      if (isOptional && value.trim() === '') return []
      if (type === 'number') return [[key, numberOf(value)]]
      if (type === 'boolean') return [[key, value === 'true']]
      return [[key, type === 'json' ? parsed(value) : value]]
    }),
  )
