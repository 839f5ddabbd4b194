/** Components that are installed into clusters (decision G-89): each a folder beside this file, of its description and its manifests. */
import { readFileSync } from 'node:fs'
import { decoder, t, type Static, type TObject } from '#engine/value/schema.ts'
import { providers } from '#streams/names.ts'

export const componentCategories = ['networking', 'security', 'observability', 'scaling', 'delivery'] as const

/** In the order in which they are listed. */
const componentIds = [
  'ingress-nginx',
  'cert-manager',
  'metrics-server',
  'cluster-autoscaler',
  'fluent-bit',
  'secrets-store-csi-driver',
  'flux',
  'istio',
] as const

const text = t.String({ minLength: 1, maxLength: 200 })

/** The values of a component: members with defaults, or that may be left out; none is a secret. */
const Values = t.Object({
  type: t.Literal('object'),
  properties: t.Record(
    t.String({ pattern: '^[a-z][A-Za-z0-9]*$' }),
    t.Object({ type: t.Enum(['string', 'integer', 'boolean']), description: text }, { additionalProperties: true }),
  ),
  additionalProperties: t.Literal(false),
})

const Description = t.Object(
  {
    id: t.Enum(componentIds),
    name: text,
    category: t.Enum(componentCategories),
    version: t.String({ pattern: '^\\d+\\.\\d+\\.\\d+$' }),
    description: text,
    /** Of the objects that are in one. */
    namespace: text,
    /** Of the clusters that it is for. */
    clouds: t.Array(t.Enum(providers), { minItems: 1 }),
    values: Values,
  },
  { additionalProperties: false },
)

/** An object of Kubernetes. Where its texts name values, those are put in (`render.ts`). */
const Manifest = t.Object(
  {
    apiVersion: text,
    kind: text,
    metadata: t.Object(
      { name: text, namespace: t.Optional(text), labels: t.Optional(t.Record(t.String(), t.String())) },
      { additionalProperties: true },
    ),
  },
  { additionalProperties: true },
)
export type Manifest = Static<typeof Manifest>

/** One that is there for some values alone. */
const Conditional = t.Object({ $if: text, $then: Manifest }, { additionalProperties: false })

const readDescription = decoder(Description)
const readManifests = decoder(t.Array(t.Union([Manifest, Conditional]), { minItems: 1 }))

export interface Component extends Omit<Static<typeof Description>, 'values'> {
  /** JSON schema of the values. */
  readonly values: TObject
  readonly manifests: readonly (Manifest | Static<typeof Conditional>)[]
}

const json = (id: string, file: string): unknown =>
  JSON.parse(readFileSync(new URL(`${id}/${file}.json`, import.meta.url), 'utf8'))

function load(id: string): Component {
  const { values, ...rest } = readDescription(json(id, 'component'))
  return { ...rest, values: values as object as TObject, manifests: readManifests(json(id, 'manifests')) }
}

/** @throws Fault `invalid` where the data of one is not what it must be: a defect of ours, found when the process begins */
export const components: readonly Component[] = componentIds.map(load)

export const findComponent = (id: string): Component | undefined => components.find((one) => one.id === id)

/** Those given, and the defaults of the rest. */
export function valuesOf({ values }: Component, given: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const defaults = Object.entries(values.properties).flatMap(([name, schema]) => {
    const { default: value } = schema as { default?: unknown }
    return value === undefined ? [] : [[name, value] as const]
  })
  return { ...Object.fromEntries(defaults), ...given }
}
