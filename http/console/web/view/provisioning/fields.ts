/** What a config of each kind is asked for, as fields: of lists, rows of fields. */
import { numberOf } from '../../figure.ts'
import type { JobKind } from './labels.ts'

/** Of one value. */
export interface PlainField {
  name: string
  label: string
  type: 'text' | 'number' | 'boolean' | 'choice'
  first: string
  choices?: readonly string[]
  hint?: string
  /** Left out of the config while it is empty. */
  isOptional?: boolean
}

export type RowDraft = Readonly<Record<string, string>>

/** Rows of values: objects by `columns`, or values by themselves, whose one column has no name. */
export interface ListField {
  name: string
  label: string
  type: 'list'
  /** What a row is. */
  of: string
  columns: readonly PlainField[]
  first: readonly RowDraft[]
  hint?: string
  /** Rows that the API asks for. */
  least?: number
}

export type Field = PlainField | ListField
/** What was typed, by the name of its field: a list has its rows. */
export type ConfigDraft = Readonly<Record<string, string | readonly RowDraft[]>>

const text = (name: string, label: string, first = '', more: Partial<PlainField> = {}): PlainField => ({
  name,
  label,
  type: 'text',
  first,
  ...more,
})
const number = (name: string, label: string, first: string, more: Partial<PlainField> = {}): PlainField => ({
  ...text(name, label, first, more),
  type: 'number',
})
const flag = (name: string, label: string, first = 'false'): PlainField => ({
  ...text(name, label, first),
  type: 'boolean',
})
const choice = (name: string, label: string, first: string, choices: readonly string[]): PlainField => ({
  ...text(name, label, first, { choices }),
  type: 'choice',
})
const list = (
  name: string,
  label: string,
  of: string,
  columns: readonly PlainField[],
  more: Partial<ListField> = {},
): ListField => ({
  name,
  label,
  type: 'list',
  of,
  columns,
  first: [freshRow({ columns })],
  least: 1,
  ...more,
})
const name = text('name', 'Name', '', { hint: 'letters, digits, - and _; starts with a letter' })

/** A row as it begins. */
export function freshRow({ columns }: Pick<ListField, 'columns'>): RowDraft {
  return Object.fromEntries(columns.map((column) => [column.name, column.first]))
}

export const fieldsOf: Readonly<Record<Exclude<JobKind, 'component'>, readonly Field[]>> = {
  datastore: [
    text('name', 'Name', '', { isOptional: true, hint: 'generated if left empty' }),
    choice('engine', 'Engine', 'postgres', ['postgres', 'mysql', 'redis']),
    text('version', 'Version', '16.3'),
    text('instanceClass', 'Class', 'db.m5.large', { hint: 'the cloud’s own name' }),
    number('allocatedStorageGB', 'Storage, GB', '100', { hint: '0 for redis only' }),
    flag('multiAZ', 'Standby in a second zone (multi-AZ)'),
    number('backupRetentionDays', 'Backup retention, days', '7'),
  ],
  kubernetes: [
    name,
    text('version', 'Version', '1.31'),
    list('nodeGroups', 'Node groups', 'node group', [
      text('name', 'Name', 'general'),
      text('instanceType', 'Instance type', 'm5.large'),
      number('min', 'Minimum instances', '2'),
      number('max', 'Maximum instances', '6'),
    ]),
    text('vpcID', 'Network (VPC)', '', { hint: 'its ID, such as vpc-0a1b2c3d' }),
    list('subnetIDs', 'Subnets', 'subnet', [text('', 'Subnet ID')]),
  ],
  vm_pool: [
    name,
    text('instanceType', 'Instance type', 'm5.large', { hint: 'the cloud’s own name' }),
    number('min', 'Minimum instances', '2'),
    number('max', 'Maximum instances', '4'),
    flag('createLoadBalancer', 'Create a load balancer'),
    list('listenerPorts', 'Load balancer ports', 'port', [number('', 'Port', '443')], {
      first: [],
      least: 0,
      hint: 'at least one if a load balancer is created',
    }),
  ],
  network: [
    name,
    text('cidr', 'Address range (CIDR)', '10.20.0.0/16'),
    list(
      'subnets',
      'Subnets',
      'subnet',
      [
        text('name', 'Name'),
        text('cidr', 'Address range (CIDR)'),
        text('zone', 'Zone', '', { isOptional: true }),
        flag('public', 'Public'),
      ],
      {
        first: [{ name: 'private-a', cidr: '10.20.0.0/20', zone: '', public: 'false' }],
        hint: 'ranges must lie within the network’s range; the cloud chooses a zone if left empty',
      },
    ),
  ],
  registry: [
    text('name', 'Name', '', { hint: 'lower-case letters and digits, separated by . _ - or /' }),
    flag('immutableTags', 'Immutable tags', 'true'),
  ],
  load_balancer: [
    name,
    choice('scheme', 'Scheme', 'internal', ['internal', 'public']),
    list('listeners', 'Listeners', 'listener', [
      number('port', 'Port', '443'),
      choice('protocol', 'Protocol', 'HTTPS', ['HTTP', 'HTTPS', 'TCP', 'TLS', 'UDP']),
      number('targetPort', 'Target port', '8080'),
    ]),
    text('targetUID', 'Target UID'),
  ],
  existing_datastore: [
    text('serverUID', 'Server', '', { hint: 'UID of a PostgreSQL or MySQL server in the inventory' }),
    text('secretARN', 'Secret of an administrator', '', {
      isOptional: true,
      hint: 'ARN in AWS Secrets Manager; the secret that RDS manages if left empty',
    }),
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

const typeOf = (schema: Schema): PlainField['type'] => {
  if (
    schema.enum ||
    (schema.anyOf && schema.anyOf.every(({ enum: values, ...rest }) => values !== undefined || 'const' in rest))
  )
    return 'choice'
  if (schema.type === 'boolean') return 'boolean'
  if (schema.type === 'integer' || schema.type === 'number') return 'number'
  return 'text'
}

const toDefaultText = (schema: Schema): string =>
  schema.default === undefined
    ? ''
    : typeof schema.default === 'string'
      ? schema.default
      : JSON.stringify(schema.default)

/** Of the values of a component, by the schema that the catalog shows: all may be left out. */
export const valueFields = (values: unknown): PlainField[] =>
  Object.entries((values as Schema | undefined)?.properties ?? {}).map(([key, schema]) => ({
    name: key,
    label: key,
    type: typeOf(schema),
    first: toDefaultText(schema),
    isOptional: true,
    ...(schema.description && { hint: schema.description }),
    ...(typeOf(schema) === 'choice' && {
      choices: [
        ...(schema.enum ?? schema.anyOf!.flatMap((one) => one.enum ?? [(one as { const?: unknown }).const])),
      ].map(String),
    }),
  }))

const valueOf = ({ type }: PlainField, value: string): unknown =>
  type === 'number' ? numberOf(value) : type === 'boolean' ? value === 'true' : value

const membersOf = (fields: readonly PlainField[], typed: RowDraft): Record<string, unknown> =>
  Object.fromEntries(
    fields.flatMap((field) => {
      const value = typed[field.name] ?? field.first
      return field.isOptional && value.trim() === '' ? [] : [[field.name, valueOf(field, value)]]
    }),
  )

const isListField = (field: Field): field is ListField => field.type === 'list'

export const rowsOf = (field: ListField, draft: ConfigDraft): readonly RowDraft[] =>
  (draft[field.name] as readonly RowDraft[] | undefined) ?? field.first

/** The config of what was typed, in the order of its fields. */
export function configOf(fields: readonly Field[], draft: ConfigDraft): Record<string, unknown> {
  const listOf = (field: ListField) => {
    const rows = rowsOf(field, draft).map((row) => membersOf(field.columns, row))
    return field.columns[0]!.name === '' ? rows.map((row) => row['']) : rows
  }
  return Object.assign(
    {},
    ...fields.map((field) =>
      isListField(field) ? { [field.name]: listOf(field) } : membersOf([field], draft as RowDraft),
    ),
  ) as Record<string, unknown>
}
