/** What every workload of the chart lets an operator set: one row for each, used for values, schema and templates. */
import { block, get, members, optionalText, set, type Path, type Piece, type Template, type Tree } from './manifest.ts'

export type Schema = Readonly<Record<string, unknown>>

export const string: Schema = { type: 'string' }
export const boolean: Schema = { type: 'boolean' }
export const wholeNumber: Schema = { type: 'integer', minimum: 0 }
export const texts: Schema = { type: 'object', additionalProperties: string }
export const objects: Schema = { type: 'array', items: { type: 'object' } }
/** An object whose members Kubernetes checks. */
const object: Schema = { type: 'object' }
const quantity: Schema = { type: ['string', 'number'] }
const quantities: Schema = { type: 'object', additionalProperties: quantity }

export const closedObject = (properties: Schema): Schema => ({
  type: 'object',
  additionalProperties: false,
  properties,
})

/** Components by name: their manifest and the kind of their workload. */
export const components = {
  engine: { file: 'engine.yaml', kind: 'Deployment' },
  edge: { file: 'edge.yaml', kind: 'Deployment' },
  nats: { file: 'nats.yaml', kind: 'StatefulSet' },
  postgres: { file: 'postgres.yaml', kind: 'StatefulSet' },
  clickhouse: { file: 'clickhouse.yaml', kind: 'StatefulSet' },
} as const

export type Component = keyof typeof components

export const pod: Path = ['spec', 'template']
const spec: Path = ['spec']
export const container: Path = ['spec', 'containers', 0]

interface Part {
  key: string
  /** Place of its value in the template of the pod. */
  at: Path
  about: string
  schema: Schema
  piece?: (value: string) => Piece
}

const text = { schema: string, piece: optionalText }

export const parts: readonly Part[] = [
  {
    key: 'resources',
    at: [...container, 'resources'],
    about: 'Requests and limits of CPU and memory',
    schema: closedObject({ requests: quantities, limits: quantities }),
  },
  {
    key: 'podAnnotations',
    at: ['metadata', 'annotations'],
    about: 'Annotations of pods; those of engine and edge are for Prometheus',
    schema: texts,
  },
  { key: 'nodeSelector', at: [...spec, 'nodeSelector'], about: 'Labels of the nodes to run on', schema: texts },
  { key: 'tolerations', at: [...spec, 'tolerations'], about: 'Taints of nodes to accept', schema: objects },
  { key: 'affinity', at: [...spec, 'affinity'], about: 'By default pods avoid a node that has one', schema: object },
  {
    key: 'topologySpreadConstraints',
    at: [...spec, 'topologySpreadConstraints'],
    about: 'How pods spread over zones',
    schema: objects,
  },
  { key: 'priorityClassName', at: [...spec, 'priorityClassName'], about: 'Priority class of pods', ...text },
  {
    key: 'podSecurityContext',
    at: [...spec, 'securityContext'],
    about: 'Security context of pods: not root, with the default seccomp profile',
    schema: object,
  },
  {
    key: 'securityContext',
    at: [...container, 'securityContext'],
    about: 'Security context of containers: no capabilities; a read-only root file system, except for ClickHouse',
    schema: object,
  },
  ...(['startup', 'liveness', 'readiness'] as const).map((name) => ({
    key: `${name}Probe`,
    at: [...container, `${name}Probe`],
    about: `The ${name} probe; null for none`,
    schema: object,
  })),
]

/** The value of an object without content, by its schema. */
export const emptyOf = ({ type }: Schema): unknown => (type === 'array' ? [] : type === 'string' ? '' : {})

/** Puts the parts into the template of a component's pod. */
export function placeParts(template: Template, tree: Tree, name: Component): void {
  for (const { key, at, piece = block } of parts) set(tree, at, template.member(piece(`.Values.${name}.${key}`)))
  const labels = get(tree, ['metadata', 'labels']) as Tree
  labels['podLabels'] = template.member(members(`.Values.${name}.podLabels`))
  set(tree, [...spec, 'imagePullSecrets'], template.member(block('.Values.imagePullSecrets')))
}
