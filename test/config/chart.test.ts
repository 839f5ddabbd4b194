import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect } from 'chai'
import { load, loadAll } from 'js-yaml'
import { chartOf, dashboards } from '#config/tools/chart.ts'
import { root } from '#config/process/root.ts'
import { settings } from '#config/settings/settings.ts'
import { version } from '#config/process/version.ts'
import { inProcess } from '#test/harness/command-line.ts'

const manifest = (name: string) => readFileSync(path.join(root, 'config/deploy', name), 'utf8')
const { resources } = load(manifest('kustomization.yaml')) as { resources: string[] }
const objects = (texts: string[]) =>
  Object.fromEntries(
    texts
      .flatMap((text) => loadAll(text) as any[])
      .filter((one) => one)
      .map((one) => [`${one.kind} ${one.metadata.name}`, one]),
  )

describe('the Helm chart', () => {
  const files = chartOf(version)
  const values = load(files['values.yaml']!) as any

  it('has a template of every manifest that is applied, but for the namespace, which Helm makes', () => {
    const applied = resources.filter((name) => name !== 'namespace.yaml').map((name) => `templates/${name}`)
    expect(Object.keys(files)).to.include.members(applied)
  })

  it('sets what the manifests set, under settings that exist', () => {
    expect(values.settings).to.deep.equal((load(manifest('settings.yaml')) as any).data)
    const known = new Set(Object.values(settings).map(({ name }) => name))
    expect(Object.keys(values.settings).filter((name) => !known.has(name))).to.deep.equal([])
    expect(load(files['Chart.yaml']!)).to.include({ name: 'tidemark', version, appVersion: version })
  })

  it('is written where nothing else is, and over an older one of its own', async () => {
    const dir = mkdtempSync(path.join(tmpdir(), 'tidemark-chart-'))
    const written = await inProcess({}, 'chart', dir)
    expect([written.code, readFileSync(path.join(dir, 'values.yaml'), 'utf8')]).to.deep.equal([0, files['values.yaml']])
    expect((await inProcess({}, 'chart', dir)).code).to.equal(0)
    rmSync(path.join(dir, 'Chart.yaml'))
    const refused = await inProcess({}, 'chart', dir)
    expect([refused.code, refused.stderr.includes('contains other files')]).to.deep.equal([1, true])
    rmSync(dir, { recursive: true })
  })

  const helm = (process.env['PATH'] ?? '').split(path.delimiter).some((folder) => existsSync(path.join(folder, 'helm')))
  if (!helm) it.skip('helm: SKIPPED, there is none here')
  else
    describe('before helm', () => {
      const dir = mkdtempSync(path.join(tmpdir(), 'tidemark-chart-'))
      before(() => inProcess({}, 'chart', dir))
      after(() => rmSync(dir, { recursive: true }))
      const rendered = (...more: string[]) =>
        objects([execFileSync('helm', ['template', 'tidemark', dir, ...more], { encoding: 'utf8' })])

      it('is without a finding', () => {
        const { status, stdout } = spawnSync('helm', ['lint', '--strict', dir], { encoding: 'utf8' })
        expect(status, stdout).to.equal(0)
      })

      it('makes exactly what the manifests make, unless values say else', () => {
        const applied = resources.filter((name) => name !== 'namespace.yaml').map(manifest)
        expect(rendered()).to.deep.equal(objects(applied))
      })

      it('takes image, secret, numbers, stores of others, settings, an ingress, alerts and dashboards', () => {
        const file = path.join(dir, '..', `${path.basename(dir)}.yaml`)
        writeFileSync(
          file,
          JSON.stringify({
            image: 'registry.example.com/tidemark@sha256:1',
            secret: 'ours',
            settings: { TIDEMARK_LANES: '32', MAIL_FROM: `{{ "Ana" }} 'quoted' <a@example.com>` },
            engine: { replicas: 5 },
            edge: { maxReplicas: 9, exports: { storageClass: 'nfs' } },
            stores: { postgres: false, clickhouse: false },
            networkPolicies: false,
            ingress: { enabled: true, host: 'costs.example.com', tlsSecret: 'tls' },
            prometheusRule: true,
            grafanaDashboards: { enabled: true },
          }),
        )
        const made = rendered('--values', file)
        rmSync(file)
        const names = Object.keys(made)
        expect(names.filter((name) => /postgres|clickhouse|NetworkPolicy/.test(name))).to.deep.equal([])
        expect(names).to.include.members(['StatefulSet nats', 'Ingress edge', 'PrometheusRule tidemark'])
        const { replicas, template } = made['Deployment engine'].spec
        const [container] = template.spec.containers
        expect([replicas, container.image, container.envFrom[1].secretRef.name]).to.deep.equal([
          5,
          'registry.example.com/tidemark@sha256:1',
          'ours',
        ])
        expect(made['HorizontalPodAutoscaler edge'].spec.maxReplicas).to.equal(9)
        expect(made['PersistentVolumeClaim exports'].spec.storageClassName).to.equal('nfs')
        expect(made['ConfigMap tidemark'].data).to.include({
          MAIL_FROM: `{{ "Ana" }} 'quoted' <a@example.com>`,
          PORT: '8080',
        })
        expect(JSON.stringify(made['ConfigMap nats'] ?? made['ConfigMap nats-config'])).to.contain('partition(32,2,3)')
        expect(made['Ingress edge'].spec.tls).to.deep.equal([{ hosts: ['costs.example.com'], secretName: 'tls' }])
        const boards = made['ConfigMap tidemark-dashboards']
        expect(boards.metadata.labels).to.deep.equal({ grafana_dashboard: '1' })
        for (const name of dashboards) expect(boards.data[name]).to.equal(manifest(`grafana/${name}`))
        const rules = (load(manifest('prometheus-rules.yaml')) as any).groups
        expect(made['PrometheusRule tidemark'].spec.groups.length).to.equal(rules.length)
        expect(JSON.stringify(made['PrometheusRule tidemark']))
          .to.contain('< 32')
          .and.to.contain('{{ $labels.instance }}')
      })
    })
})
