import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect } from 'chai'
import { load } from 'js-yaml'
import { chartOf, dashboards } from '#config/tools/chart.ts'
import { root } from '#config/process/root.ts'
import { exported } from '#test/harness/exported.ts'

const folder = path.join(root, 'config/deploy/grafana')
const read = (name: string) => readFileSync(path.join(folder, name), 'utf8')
const all = dashboards.map((name) => ({ name, board: JSON.parse(read(name)) }))
const panelsOf = (board: any): any[] => board.panels.filter(({ type }: any) => type !== 'row')

describe('the dashboards', () => {
  it('are the files there are, and each asks the data source that is chosen', () => {
    expect(readdirSync(folder)).to.have.members([...dashboards])
    for (const { name, board } of all) {
      const [source] = board.templating.list
      expect(source, name).to.include({ type: 'datasource', name: 'datasource' })
      const own = { type: source.query, uid: '${datasource}' }
      for (const panel of panelsOf(board))
        for (const { datasource } of [panel, ...panel.targets])
          expect(datasource, `${name}: ${panel.title}`).to.deep.equal(own)
      for (const { datasource, type } of board.templating.list)
        if (type === 'query') expect(datasource, name).to.deep.equal(own)
    }
    expect(all.map(({ board }) => board.templating.list[0].query)).to.deep.equal([
      'prometheus',
      'grafana-clickhouse-datasource',
    ])
  })

  it('have panels with a title, each in a place of its own', () => {
    expect(new Set(all.map(({ board }) => board.uid)).size).to.equal(all.length)
    for (const { name, board } of all) {
      const titles = board.panels.map(({ title }: any) => title)
      expect(new Set(titles).size, name).to.equal(titles.length)
      expect(new Set(board.panels.map(({ id }: any) => id)).size, name).to.equal(titles.length)
      const taken = new Set<string>()
      for (const { title, gridPos } of board.panels) {
        const { x, y, w, h } = gridPos
        expect(x + w, title).to.be.at.most(24)
        for (let row = y; row < y + h; row++)
          for (let column = x; column < x + w; column++) {
            expect(taken.has(`${column} ${row}`), `${name}: ${title} at ${column}, ${row}`).to.equal(false)
            taken.add(`${column} ${row}`)
          }
      }
    }
  })

  it('use no variable that they do not have', () => {
    for (const { name, board } of all) {
      const known = board.templating.list.map((one: any) => one.name)
      // `$__` are Grafana's own.
      const used = [...JSON.stringify(board).matchAll(/\$\{?(\w+)/g)].map(([, used]) => used!)
      expect(
        used.filter((one) => !one.startsWith('__') && !known.includes(one)),
        name,
      ).to.deep.equal([])
    }
  })
})

describe('the dashboard of operators', () => {
  const { board } = all.find(({ name }) => name === 'operators.json')!
  const targets: { title: string; expr: string; legendFormat: string }[] = panelsOf(board).flatMap(
    ({ title, targets }) => targets.map((target: any) => ({ title, ...target })),
  )
  const bare = (name: string) => (exported.has(name) ? name : name.replace(/_(bucket|sum|count)$/, ''))

  it('asks for metrics that are exported, by labels that they have', () => {
    // Metrics of the runtime come from the client library.
    for (const { title, expr, legendFormat } of targets.filter(
      (target) => !/\b(?:nodejs|process)_/.test(target.expr),
    )) {
      const used = [...expr.matchAll(/\b(tidemark_\w+)(?:\{([^}]*)\})?/g)]
      expect(used.length, title).to.be.at.least(1)
      for (const [, name, matchers = ''] of used) {
        const labels = exported.get(bare(name!))
        expect(labels, `${title}: ${name}`).to.not.equal(undefined)
        const own = [...labels!, 'job', 'instance', ...(name!.endsWith('_bucket') ? ['le'] : [])]
        const asked = [
          ...[...matchers.matchAll(/(\w+)(?:=~?|!=|!~)"/g)].map(([, label]) => label!),
          ...[...expr.matchAll(/by \(([^)]*)\)/g)].flatMap(([, list]) => list!.split(', ')),
          ...[...legendFormat.matchAll(/\{\{(\w+)\}\}/g)].map(([, label]) => label!),
        ]
        expect(
          asked.filter((label) => !own.includes(label)),
          `${title}: ${name}`,
        ).to.deep.equal([])
        expect(matchers, `${title}: ${name}`).to.match(/^job="\$job"/)
      }
    }
  })

  it('shows lag, commits, dead letters, retries, effects and how long the edge takes', () => {
    const text = targets.map(({ expr }) => expr).join('\n')
    for (const name of [
      'tidemark_lane_lag_messages',
      'tidemark_commits_total',
      'tidemark_commit_seconds_bucket',
      'tidemark_dead_letters_total',
      'tidemark_dead_letters_held',
      'tidemark_store_retries_total',
      'tidemark_effects_total',
      'tidemark_effect_lag_seconds',
      'tidemark_http_request_seconds_bucket',
    ])
      expect(text).to.contain(name)
  })

  const promtool = (process.env['PATH'] ?? '')
    .split(path.delimiter)
    .some((place) => existsSync(path.join(place, 'promtool')))
  if (!promtool) it.skip('promtool: SKIPPED, there is none here')
  else
    it('asks in expressions that Prometheus reads', () => {
      const dir = mkdtempSync(path.join(tmpdir(), 'tidemark-dashboard-'))
      const rules = targets.map(({ expr }, i) => ({
        record: `panel:${i}`,
        expr: expr.replaceAll('$__rate_interval', '5m').replaceAll('$job', 'tidemark'),
      }))
      const file = path.join(dir, 'rules.json')
      // JSON is YAML.
      writeFileSync(file, JSON.stringify({ groups: [{ name: 'panels', rules }] }))
      const { status, stdout, stderr } = spawnSync('promtool', ['check', 'rules', file], { encoding: 'utf8' })
      rmSync(dir, { recursive: true })
      expect(status, stdout + stderr).to.equal(0)
      expect(stdout).to.contain(`${rules.length} rules found`)
    })
})

describe('the dashboards of the chart', () => {
  const template = chartOf()['templates/grafana-dashboards.yaml']!

  it('are off unless a value says else', () => {
    const values = load(chartOf()['values.yaml']!) as any
    expect(values.grafanaDashboards).to.deep.equal({ enabled: false, labels: { grafana_dashboard: '1' } })
    expect(template)
      .to.match(/^\{\{- if \.Values\.grafanaDashboards\.enabled \}\}\n/)
      .and.match(/\{\{- end \}\}\n$/)
  })

  it('are those of config/deploy, whatever braces they hold', () => {
    // What Helm makes of it, without Helm: text in braces is itself, and the labels are left out.
    const made = template
      .replaceAll(/^ *\{\{-.*\}\}\n/gm, '')
      .replaceAll(/^ *labels:.*\n/gm, '')
      .replaceAll(/\{\{ "([{}]+)" \}\}/g, '$1')
    const { kind, metadata, data } = load(made) as any
    expect([kind, metadata.name, Object.keys(data)]).to.deep.equal([
      'ConfigMap',
      'tidemark-dashboards',
      [...dashboards],
    ])
    for (const name of dashboards) expect(data[name]).to.equal(read(name))
  })
})
