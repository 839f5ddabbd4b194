/**
 * Components that can be installed into clusters (decision G-89). Each is a folder next to this file with a description
 * and manifests.
 */
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

/** The values of a component: optional, or with defaults; none is a secret. */
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
    /** Namespace of its namespaced objects. */
    namespace: text,
    /** Clouds of the clusters that it supports. */
    clouds: t.Array(t.Enum(providers), { minItems: 1 }),
    values: Values,
  },
  { additionalProperties: false },
)

/** A Kubernetes object. References to values in its texts are replaced (`render.ts`). */
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

/** An object that exists only for some values. */
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

/** @throws Fault `invalid` if a component's files are malformed: a defect of ours, found when the process starts */
export const components: readonly Component[] = componentIds.map(load)

export const findComponent = (id: string): Component | undefined => components.find((one) => one.id === id)

/** The given values, with defaults for the others. */
export function valuesOf({ values }: Component, given: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const defaults = Object.entries(values.properties).flatMap(([name, schema]) => {
    const { default: value } = schema as { default?: unknown }
    return value === undefined ? [] : [[name, value] as const]
  })
  return { ...Object.fromEntries(defaults), ...given }
}
