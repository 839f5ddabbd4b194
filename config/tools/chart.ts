/**
 * Generates a Helm chart from the manifests in `config/deploy`, which are its only source; the chart adds values to
 * set.
 */
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { load } from 'js-yaml'
import { root } from '#config/process/root.ts'

const manifest = (name: string): string => readFileSync(path.join(root, 'config', 'deploy', name), 'utf8')

/** Text in a manifest, and its replacement in the template. */
type Places = readonly (readonly [place: string, value: string])[]

/** Name of a value; without it the template is empty. */
interface Template {
  onlyWith?: string
  places?: Places
}

const image: Places = [
  ['# Your image, pinned by the digest in your registry (IMAGE:TAG@sha256:...).', '# image'],
  ['image: tidemark:0.2.0', 'image: {{ .Values.image | quote }}'],
  ['secretRef: { name: tidemark }', 'secretRef: { name: {{ .Values.secret | quote }} }'],
]

const templates: Readonly<Record<string, Template>> = {
  'settings.yaml': {},
  'network.yaml': { onlyWith: '.Values.networkPolicies' },
  'nats.yaml': {
    onlyWith: '.Values.stores.nats',
    places: [['partition(16,', 'partition({{ .Values.settings.TIDEMARK_LANES }},']],
  },
  'postgres.yaml': { onlyWith: '.Values.stores.postgres' },
  'clickhouse.yaml': { onlyWith: '.Values.stores.clickhouse' },
  'engine.yaml': { places: [...image, ['replicas: 2', 'replicas: {{ .Values.engine.replicas }}']] },
  'edge.yaml': {
    places: [
      ...image,
      ['minReplicas: 2', 'minReplicas: {{ .Values.edge.minReplicas }}'],
      ['maxReplicas: 4', 'maxReplicas: {{ .Values.edge.maxReplicas }}'],
      ['requests: { storage: 10Gi }', 'requests: { storage: {{ .Values.edge.exports.size }} }'],
      [
        'accessModes: [ReadWriteMany]',
        'accessModes: [ReadWriteMany]\n{{- with .Values.edge.exports.storageClass }}\n  storageClassName: {{ . | quote }}\n{{- end }}',
      ],
    ],
  },
}

/** The files of the chart by path. @throws Error if a manifest no longer contains a text to replace */
export function chartOf(version: string): Readonly<Record<string, string>> {
  const made = Object.entries(templates).map(([name, template]) => [`templates/${name}`, templateOf(name, template)])
  return {
    'Chart.yaml': [
      'apiVersion: v2',
      'name: tidemark',
      'description: Cloud cost and infrastructure management',
      'type: application',
      `version: ${version}`,
      `appVersion: ${JSON.stringify(version)}`,
      '',
    ].join('\n'),
    'values.yaml': values(version),
    ...(Object.fromEntries(made) as Record<string, string>),
    'templates/settings.yaml': settings,
    'templates/ingress.yaml': ingress,
    'templates/prometheus-rule.yaml': prometheusRule(),
    'templates/grafana-dashboards.yaml': grafanaDashboards(),
    'templates/NOTES.txt': notes,
  }
}

function templateOf(name: string, { onlyWith, places = [] }: Template): string {
  let text = escapeBraces(manifest(name))
  for (const [place, value] of places) {
    if (!text.includes(place)) throw new Error(`config/deploy/${name} no longer contains "${place}"`)
    text = text.replaceAll(place, () => value)
  }
  return onlyWith === undefined ? text : `{{- if ${onlyWith} }}\n${text}{{- end }}\n`
}

/** Escapes braces in a manifest, which Helm would interpret. */
const escapeBraces = (text: string): string =>
  text.replaceAll(/\{\{|\}\}/g, (braces) => `{{ ${JSON.stringify(braces)} }}`)

const indentLines = (text: string, by: string): string => text.replaceAll(/^(?=.)/gm, by)

/** The data of the ConfigMap with its comments, as in the manifest. */
function settingsOf(): string {
  const [, data] = manifest('settings.yaml').split(/^data:\n/m)
  if (data === undefined) throw new Error('config/deploy/settings.yaml no longer contains data')
  return data
}

const values = (
  version: string,
): string => `# One installation per namespace. Services have the same names as in config/deploy.
# Your image, pinned by the digest in your registry (IMAGE:TAG@sha256:...).
image: tidemark:${version}
# A Secret with POSTGRES_URL, NATS_URL, CLICKHOUSE_URL and CREDENTIALS_KEY: see config/deploy/secret.example.yaml.
secret: tidemark
# Any setting of docs/configure.md that is not a secret. Settings not listed here have their default.
settings:
${settingsOf()}
engine:
  # Replicas beyond the number of lanes are idle.
  replicas: 2
edge:
  minReplicas: 2
  maxReplicas: 4
  exports:
    size: 10Gi
    # A storage class that supports ReadWriteMany; empty means the default of the cluster.
    storageClass: ''
# Stores from config/deploy; set to false to use your own.
stores:
  postgres: true
  nats: true
  clickhouse: true
networkPolicies: true
ingress:
  enabled: false
  className: ''
  host: tidemark.example.com
  tlsSecret: ''
  annotations: {}
# Alerts for the operator of Prometheus (monitoring.coreos.com).
prometheusRule: false
# Dashboards as a ConfigMap with the label that Grafana's sidecar looks for.
grafanaDashboards:
  enabled: false
  labels: { grafana_dashboard: '1' }
`

const settings = `# Settings shared by both roles. Secrets, and URLs with passwords, are in the Secret.
apiVersion: v1
kind: ConfigMap
metadata:
  name: tidemark
data:
{{- range $name, $value := .Values.settings }}
  {{ $name }}: {{ $value | quote }}
{{- end }}
`

const ingress = `{{- if .Values.ingress.enabled }}
apiVersion: networking.k8s.io/v1
kind: Ingress
metadata:
  name: edge
  {{- with .Values.ingress.annotations }}
  annotations: {{- toYaml . | nindent 4 }}
  {{- end }}
spec:
  {{- with .Values.ingress.className }}
  ingressClassName: {{ . | quote }}
  {{- end }}
  {{- with .Values.ingress.tlsSecret }}
  tls: [{ hosts: [{{ $.Values.ingress.host | quote }}], secretName: {{ . | quote }} }]
  {{- end }}
  rules:
    - host: {{ .Values.ingress.host | quote }}
      http:
        paths:
          - path: /
            pathType: Prefix
            backend: { service: { name: edge, port: { name: http } } }
{{- end }}
`

function prometheusRule(): string {
  const places: Places = [['or vector(0)) < 16', 'or vector(0)) < {{ .Values.settings.TIDEMARK_LANES }}']]
  const rules = templateOf('prometheus-rules.yaml', { places })
  const head = `{{- if .Values.prometheusRule }}
apiVersion: monitoring.coreos.com/v1
kind: PrometheusRule
metadata:
  name: tidemark
spec:
`
  return `${head}${indentLines(rules, '  ')}{{- end }}\n`
}

/** Dashboards in `config/deploy/grafana`, by file name. */
export const dashboards = ['operators.json', 'costs.json'] as const

function grafanaDashboards(): string {
  const files = dashboards.map(
    (name) => `  ${name}: |\n${indentLines(escapeBraces(manifest(`grafana/${name}`)), '    ')}`,
  )
  const head = `{{- if .Values.grafanaDashboards.enabled }}
apiVersion: v1
kind: ConfigMap
metadata:
  name: tidemark-dashboards
  {{- with .Values.grafanaDashboards.labels }}
  labels: {{- toYaml . | nindent 4 }}
  {{- end }}
data:
`
  return `${head}${files.join('')}{{- end }}\n`
}

const notes = `Tidemark is starting. Its edge is the service "edge" on port 80.

  kubectl -n {{ .Release.Namespace }} exec deploy/edge -- npm run -s tidemark -- doctor

Create the first user: tidemark org create NAME, then tidemark user create EMAIL --org NAME --role owner.
`

/** Settings that the chart sets by default, by name. */
export const chartSettings = (): Record<string, string> => load(settingsOf()) as Record<string, string>
