/** The values of the chart: each row is a line of values.yaml, of its schema and of the table in docs/install.md. */
import { dump } from 'js-yaml'
import { version } from '#config/process/version.ts'
import { settings } from '#config/settings/settings.ts'
import { documentOf, documentsOf, get, indentLines, manifest, type Path, type Tree } from './manifest.ts'
import {
  boolean,
  components,
  container,
  emptyOf,
  objects,
  parts,
  pod,
  closedObject,
  string,
  texts,
  wholeNumber,
  type Component,
  type Schema,
} from './part.ts'

interface Value {
  /** Its path in values.yaml. */
  name: string
  value: unknown
  about: string
  schema: Schema
}

const row =
  (schema: Schema) =>
  (name: string, value: unknown, about: string): Value => ({ name, value, about, schema })
const text = row(string)
const flag = row(boolean)
const count = row(wholeNumber)
const map = row(texts)

const word = (...words: string[]): Schema => ({ enum: words })

/** What the manifest of a component has at a place. */
const valueIn = (name: Component, at: Path): unknown =>
  get(documentOf(components[name].file, components[name].kind), [...pod, ...at])

/** The budget of the manifest without the selector, which the template adds. */
function budgetOf(name: Component): unknown {
  const found = documentsOf(components[name].file).find(({ kind }) => kind === 'PodDisruptionBudget')
  const { selector: _, ...more } = (found?.['spec'] ?? {}) as Tree
  return more
}

/** Kubernetes accepts one of the two. */
const budget: Schema = {
  ...closedObject({ minAvailable: { type: ['integer', 'string'] }, maxUnavailable: { type: ['integer', 'string'] } }),
  maxProperties: 1,
}

const ofWorkload = (name: Component): Value[] => [
  ...parts.map(({ key, at, about, schema }) =>
    row(schema)(`${name}.${key}`, valueIn(name, at) ?? emptyOf(schema), about),
  ),
  map(`${name}.podLabels`, {}, 'More labels of pods'),
  row(budget)(
    `${name}.podDisruptionBudget`,
    budgetOf(name),
    'minAvailable or maxUnavailable; null for no budget, and for the member that you replace',
  ),
]

const claim: Path = ['spec', 'volumeClaimTemplates', 0, 'spec', 'resources', 'requests', 'storage']

const ofStore = (name: 'nats' | 'postgres' | 'clickhouse'): Value[] => [
  text(`${name}.image`, valueIn(name, [...container, 'image']), 'Image of the store; add the digest that you verified'),
  text(
    `${name}.storage.size`,
    get(documentOf(components[name].file, 'StatefulSet'), claim),
    'Size of the volume of each server',
  ),
  text(`${name}.storage.storageClass`, '', 'Storage class; empty means the default of the cluster'),
  ...ofWorkload(name),
]

const names = Object.values(settings).map(({ name }) => name)

const common = (): Value[] => [
  text('image', `tidemark:${version}`, 'Your image, pinned by the digest in your registry (IMAGE:TAG@sha256:...)'),
  row(objects)('imagePullSecrets', [], 'Existing Secrets for private registries, such as [{ name: registry }]'),
  text('secret', 'tidemark', 'Existing Secret with POSTGRES_URL, NATS_URL, CLICKHOUSE_URL and CREDENTIALS_KEY'),
  text('storesSecret', 'stores', 'Existing Secret with the passwords of the store servers'),
  text('natsUsersSecret', 'nats-users', 'Existing Secret with users.conf: the NATS accounts besides the service'),
  row({ ...texts, propertyNames: { enum: names } })(
    'settings',
    documentOf('settings.yaml', 'ConfigMap')['data'],
    'Any setting that is not a secret, as text; settings not listed have their default',
  ),
  map('environment', {}, 'Other variables of engines and edges, such as AWS_REGION'),
  flag('serviceAccount.create', false, 'Creates a service account for engines and edges'),
  text('serviceAccount.name', '', 'Its name, or the name of one that exists; empty means tidemark if it is created'),
  map('serviceAccount.annotations', {}, 'Annotations that give it a role of a cloud'),
  flag('serviceAccount.mountToken', false, 'Mounts its token; only KUBERNETES_IN_CLUSTER_ORG needs it'),
]

const edgeScale = (key: string): unknown => get(documentOf('edge.yaml', 'HorizontalPodAutoscaler'), ['spec', key])
const exportsSize = (): unknown =>
  get(documentOf('edge.yaml', 'PersistentVolumeClaim'), ['spec', 'resources', 'requests', 'storage'])

const roles = (): Value[] => [
  count(
    'engine.replicas',
    get(documentOf('engine.yaml', 'Deployment'), ['spec', 'replicas']),
    'Without autoscaling; replicas beyond the number of lanes are idle',
  ),
  row(word('none', 'hpa', 'keda'))(
    'engine.autoscaling.kind',
    'none',
    'Scales engines by lag: `hpa` needs an adapter for metrics, `keda` KEDA',
  ),
  count('engine.autoscaling.minReplicas', 2, 'Fewest engines'),
  count('engine.autoscaling.maxReplicas', 4, 'Most engines; more than the lanes are idle'),
  count('engine.autoscaling.lagMessages', 50_000, 'Waiting messages for each engine; more add an engine'),
  text('engine.autoscaling.metric', 'tidemark_lag_messages', '`hpa`: name of the external metric'),
  text('engine.autoscaling.prometheus', 'http://prometheus.monitoring:9090', '`keda`: address of Prometheus'),
  ...ofWorkload('engine'),
  count('edge.minReplicas', edgeScale('minReplicas'), 'Fewest edges; they scale by CPU'),
  count('edge.maxReplicas', edgeScale('maxReplicas'), 'Most edges'),
  text('edge.exports.size', exportsSize(), 'Size of the volume of exported files'),
  text(
    'edge.exports.storageClass',
    '',
    'A storage class that supports ReadWriteMany; empty means the default of the cluster',
  ),
  ...ofWorkload('edge'),
]

const stores = (): Value[] => [
  flag('stores.postgres', true, 'PostgreSQL from config/deploy; false to use your own'),
  flag('stores.nats', true, 'NATS from config/deploy; false to use your own'),
  flag('stores.clickhouse', true, 'ClickHouse from config/deploy; false to use your own'),
  ...ofStore('nats'),
  ...ofStore('postgres'),
  count(
    'postgres.maxConnections',
    300,
    'Connections PostgreSQL accepts: an engine uses up to 33, an edge 32; too few are refused',
  ),
  ...ofStore('clickhouse'),
  flag('operators.postgres.enabled', false, 'PostgreSQL as a Cluster of CloudNativePG in place of the single server'),
  count('operators.postgres.instances', 3, 'A primary and its standbys'),
  text('operators.postgres.image', 'ghcr.io/cloudnative-pg/postgresql:18.4', 'An image made for CloudNativePG'),
  text(
    'operators.postgres.secret',
    'postgres-owner',
    'Existing Secret of type kubernetes.io/basic-auth for user tidemark',
  ),
  text('operators.postgres.namespace', 'cnpg-system', 'Namespace in which the operator runs'),
  flag('operators.clickhouse.enabled', false, 'ClickHouse as a ClickHouseInstallation of the Altinity operator'),
  text('operators.clickhouse.namespace', 'kube-system', 'Namespace in which the operator runs'),
]

const access = (): Value[] => [
  flag('networkPolicies', true, 'Restricts traffic as config/deploy/network.yaml does'),
  row(objects)('egress', [], 'More rules of egress for engines and edges, such as a store outside of the namespace'),
  flag('ingress.enabled', false, 'An Ingress for the edge'),
  text('ingress.className', '', 'Class of the Ingress'),
  text('ingress.host', 'tidemark.example.com', 'Host name'),
  text('ingress.tlsSecret', '', 'Existing Secret with the certificate'),
  map('ingress.annotations', {}, 'Annotations of the Ingress'),
  flag('prometheusRule', false, 'Alerts for the operator of Prometheus (monitoring.coreos.com)'),
  flag('grafanaDashboards.enabled', false, 'Dashboards as a ConfigMap'),
  map('grafanaDashboards.labels', { grafana_dashboard: '1' }, "Labels that Grafana's sidecar looks for"),
]

/** Read when asked for: an image has no manifests. */
const chartValues = (): readonly Value[] => [...common(), ...roles(), ...stores(), ...access()]

/** The first of the values with the same description: those of components share them. */
function firstOf(values: readonly Value[]): ReadonlySet<Value> {
  const commonName = ({ name, about }: Value): string => {
    const [component, ...rest] = name.split('.')
    return component! in components ? `${rest.join('.')} ${about}` : name
  }
  return new Set(new Map(values.toReversed().map((one) => [commonName(one), one])).values())
}

/** The data of the ConfigMap with its comments, as in the manifest. */
function settingsText(): string {
  const [, data] = manifest('settings.yaml').split(/^data:\n/m)
  return `settings:\n${data!}`
}

export function valuesYaml(): string {
  const lines = ['# One installation per namespace. Services have the same names as in config/deploy.']
  let open: string[] = []
  const values = chartValues()
  const first = firstOf(values)
  for (const one of values) {
    const path = one.name.split('.')
    const groups = path.slice(0, -1)
    for (const [depth, group] of groups.entries()) {
      if (groups.slice(0, depth + 1).join('.') === open.slice(0, depth + 1).join('.')) continue
      lines.push(`${'  '.repeat(depth)}${group}:`)
    }
    open = groups
    const printed = one.name === 'settings' ? settingsText() : dump({ [path.at(-1)!]: one.value }, { lineWidth: -1 })
    const comment = first.has(one) ? `# ${one.about}.\n` : ''
    lines.push(indentLines(comment + printed.trimEnd(), '  '.repeat(groups.length)))
  }
  return `${lines.join('\n')}\n`
}

/** JSON Schema of the values: Helm refuses unknown names and wrong types. */
export function valuesSchema(): Schema {
  // `global` is what Helm adds to a chart inside another.
  const whole = { ...closedObject({ global: { type: 'object' } }), $schema: 'http://json-schema.org/draft-07/schema#' }
  for (const { name, schema, about } of chartValues()) {
    const path = name.split('.')
    let inside = whole as Tree
    for (const group of path.slice(0, -1)) {
      const properties = inside['properties'] as Tree
      inside = (properties[group] ??= closedObject({})) as Tree
    }
    ;(inside['properties'] as Tree)[path.at(-1)!] = { description: about, ...schema }
  }
  return whole
}

/** The table of docs/install.md. */
export function valuesTable(): string {
  const shared = new Set(parts.map(({ key }) => key).concat('podLabels', 'podDisruptionBudget'))
  const shown = ({ value }: Value) =>
    typeof value === 'object' && Object.keys(value as object).length > 0 ? '' : `\`${JSON.stringify(value)}\``
  const values = chartValues()
  const first = firstOf(values)
  const rows = values
    .filter((one) => first.has(one))
    .map((one) => {
      const key = one.name.split('.').at(-1)!
      const isShared = one.name.startsWith('engine.') && shared.has(key)
      const isOfStore = one.name.startsWith('nats.')
      const name = isShared ? `COMPONENT.${key}` : isOfStore ? one.name.replace('nats', 'STORE') : one.name
      return `| \`${name}\` | ${isShared || isOfStore ? '' : shown(one)} | ${one.about} |`
    })
  return ['| value | default | what it is |', '|---|---|---|', ...rows].join('\n')
}
