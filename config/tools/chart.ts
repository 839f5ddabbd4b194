/**
 * Generates a Helm chart from the manifests in `config/deploy`, which are its only source, and the templates in
 * `config/deploy/helm`, which are of the chart alone.
 */
import { version } from '#config/process/version.ts'
import { clickhouseInstallation } from './chart/clickhouse-operator.ts'
import { block, escapeBraces, indentLines, manifest, replaceText, Template } from './chart/manifest.ts'
import { valuesSchema, valuesYaml } from './chart/values.ts'
import { workloads } from './chart/workload.ts'

/** The files of the chart by path. @throws Error if a manifest no longer contains a place of a value */
export function chartOf(): Readonly<Record<string, string>> {
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
    'values.yaml': valuesYaml(),
    'values.schema.json': `${JSON.stringify(valuesSchema(), null, 2)}\n`,
    'templates/network.yaml': onlyWith('.Values.networkPolicies', escapeBraces(manifest('network.yaml'))),
    'templates/engine.yaml': workloads('engine'),
    'templates/edge.yaml': workloads('edge'),
    'templates/nats.yaml': onlyWith('.Values.stores.nats', workloads('nats')),
    'templates/postgres.yaml': onlyWith(withoutOperator('postgres'), workloads('postgres')),
    'templates/clickhouse.yaml': onlyWith(withoutOperator('clickhouse'), workloads('clickhouse')),
    'templates/clickhouse-operator.yaml': onlyWith('.Values.operators.clickhouse.enabled', clickhouseInstallation()),
    'templates/prometheus-rule.yaml': prometheusRule(),
    'templates/grafana-dashboards.yaml': grafanaDashboards(),
    ...Object.fromEntries(ownTemplates.map((name) => [`templates/${name}.yaml`, manifest(`helm/${name}.tpl`)])),
    'templates/NOTES.txt': manifest('helm/NOTES.txt'),
  }
}

/** Templates of `config/deploy/helm`. */
const ownTemplates = [
  'settings',
  'service-account',
  'ingress',
  'egress',
  'engine-autoscaling',
  'postgres-operator',
  'clickhouse-operator-network',
  'connections',
]

const onlyWith = (condition: string, text: string): string => `{{- if ${condition} }}\n${text}{{- end }}\n`

/** A store that no operator runs. */
const withoutOperator = (name: 'postgres' | 'clickhouse') =>
  `and .Values.stores.${name} (not .Values.operators.${name}.enabled)`

function prometheusRule(): string {
  const rules = replaceText(
    escapeBraces(manifest('prometheus-rules.yaml')),
    'or vector(0)) < 16',
    'or vector(0)) < {{ .Values.settings.TIDEMARK_LANES }}',
  )
  const head = `apiVersion: monitoring.coreos.com/v1
kind: PrometheusRule
metadata:
  name: tidemark
spec:
`
  return onlyWith('.Values.prometheusRule', `${head}${indentLines(rules, '  ')}`)
}

/** Dashboards in `config/deploy/grafana`, by file name. */
export const dashboards = ['operators.json', 'costs.json'] as const

function grafanaDashboards(): string {
  const template = new Template()
  const labels = template.member(block('.Values.grafanaDashboards.labels'))
  const metadata = { name: 'tidemark-dashboards', labels }
  const head = template.print({ apiVersion: 'v1', kind: 'ConfigMap', metadata })
  const files = dashboards.map(
    (name) => `  ${name}: |\n${indentLines(escapeBraces(manifest(`grafana/${name}`)), '    ')}`,
  )
  return onlyWith('.Values.grafanaDashboards.enabled', `${head}data:\n${files.join('')}`)
}
