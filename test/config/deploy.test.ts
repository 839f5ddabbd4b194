/** What is deployed, held against what the product needs: nobody has to start a cluster to see that a name is wrong. */
import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { BlockList } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { load, loadAll, YAML11_SCHEMA } from 'js-yaml'
import { findNatsServer } from '#config/embedded/nats.ts'
import { serviceAccountText } from '#config/embedded/nats-accounts.ts'
import { root } from '#config/process/root.ts'
import { readSettings, settings } from '#config/settings/settings.ts'
import { analystRightsCommand } from '#config/command/integration/analyst.ts'
import { askAt } from '#test/harness/door.ts'
import { testStores } from '#test/harness/stores.ts'

const at = (...names: string[]) => path.join(root, ...names)
const read = (...names: string[]) => readFileSync(at(...names), 'utf8')
const folder = at('config/deploy')
const files = readdirSync(folder).filter((name) => name.endsWith('.yaml'))
const resourceFiles = files.filter((name) => !['kustomization.yaml', 'prometheus-rules.yaml'].includes(name))
const resources = resourceFiles.flatMap((file) => loadAll(read('config/deploy', file)) as any[])
const compose = load(read('compose.yaml'), { schema: YAML11_SCHEMA }) as any
const services = Object.entries<any>(compose.services)
const ofKind = (...kinds: string[]) => resources.filter(({ kind }) => kinds.includes(kind))
const named = (kind: string, name: string) => ofKind(kind).find(({ metadata }) => metadata.name === name)
const workloads = ofKind('Deployment', 'StatefulSet')
const containerOf = (workload: any) => workload.spec.template.spec.containers[0]
const portsOf = (workload: any): any[] => containerOf(workload).ports
const labelsOf = (workload: any) => workload.spec.template.metadata.labels as Record<string, string>
const selects = (selector: Record<string, string>, labels: Record<string, string>) =>
  Object.entries(selector).every(([name, value]) => labels[name] === value)

const known = new Set(Object.values(settings).map(({ name }) => name))
const shared = named('ConfigMap', 'tidemark').data as Record<string, string>
const secret = named('Secret', 'tidemark').stringData as Record<string, string>
const lanes = Number(shared['TIDEMARK_LANES'])
/** What the NATS account must map, for sixteen lanes. */
const results = '"exec.result.*.*": "lane.{{partition(16,1,2)}}.exec.{{wildcard(1)}}.{{wildcard(2)}}"'
const mapping = '"ingest.*.*.*": "lane.{{partition(16,2,3)}}.{{wildcard(1)}}.{{wildcard(2)}}.{{wildcard(3)}}"'
const natsConf = named('ConfigMap', 'nats').data['nats.conf'] as string
const composeNatsConf = compose.configs.nats.content as string
const anyKey = Buffer.alloc(32).toString('base64')

/** An image by its version: a tag with a number and never the newest. */
const pinned = /^[a-z0-9./-]+:v?\d+(\.\d+)+[a-z0-9.-]*$/
const bytes = (text: string): number => {
  const [, n, unit = ''] = /^([\d.]+)\s*([A-Za-z]*)$/.exec(text)!
  const units: Record<string, number> = {
    '': 1,
    m: 0.001,
    Mi: 2 ** 20,
    Gi: 2 ** 30,
    MB: 2 ** 20,
    GB: 2 ** 30,
    M: 1e6,
    G: 1e9,
  }
  return Number(n) * units[unit]!
}

function contains(blocks: readonly string[], address: string): boolean {
  const list = new BlockList()
  for (const block of blocks) {
    const [net, bits] = block.split('/')
    list.addSubnet(net!, Number(bits))
  }
  return list.check(address)
}

describe('the Kubernetes manifests', () => {
  it('are what the kustomization lists, but for the form of the secrets', () => {
    const { resources: listed } = load(read('config/deploy/kustomization.yaml')) as { resources: string[] }
    expect(listed).to.have.members(resourceFiles.filter((name) => name !== 'secret.example.yaml'))
    expect(resources.filter(({ apiVersion, kind, metadata }) => !apiVersion || !kind || !metadata?.name)).to.deep.equal(
      [],
    )
    const ids = resources.map(({ kind, metadata }) => `${kind}/${metadata.name}`)
    expect(ids.filter((id, i) => ids.indexOf(id) !== i)).to.deep.equal([])
  })

  it('give both roles settings that exist and are accepted, reachable from other pods', () => {
    expect(Object.keys({ ...shared, ...secret }).filter((name) => !known.has(name))).to.deep.equal([])
    const { host, port, metricsHost, metricsPort, analystsHost, analystsPort, streamReplicas } = readSettings({
      ...shared,
      ...secret,
      CREDENTIALS_KEY: anyKey,
    })
    const all = '0.0.0.0'
    expect({ host, port, metricsHost, metricsPort, streamReplicas }).to.deep.equal(
      { host: all, port: 8080, metricsHost: all, metricsPort: 9464, streamReplicas: 3 }, // prettier-ignore
    )
    expect({ analystsHost, analystsPort }).to.deep.equal({ analystsHost: all, analystsPort: 8124 })
    expect(() => readSettings({ ...shared, ...secret }), 'the form must not start as it is').to.throw('CREDENTIALS_KEY')
    for (const role of ['engine', 'edge']) {
      const { env, envFrom } = containerOf(named('Deployment', role))
      // What one edge exports, another may be asked for.
      const shares = role === 'edge' ? [{ name: 'EXPORTS_DIR', value: '/exports' }] : []
      expect(env).to.deep.equal([{ name: 'TIDEMARK_ROLE', value: role }, ...shares])
      expect(envFrom).to.deep.equal([{ configMapRef: { name: 'tidemark' } }, { secretRef: { name: 'tidemark' } }])
    }
  })

  it('name stores by services, ports, databases and users that exist', () => {
    const addressed = [
      ['POSTGRES_URL', 'postgres'],
      ['NATS_URL', 'nats'],
      ['CLICKHOUSE_URL', 'clickhouse'],
    ] as const
    for (const [setting, name] of addressed) {
      const { hostname, port, username } = new URL(secret[setting]!)
      expect(hostname).to.equal(name)
      expect(named('Service', name).spec.ports.map((p: any) => String(p.port))).to.include(port)
      expect(username).to.equal('tidemark')
    }
    const valueOf = (name: string, variable: string) =>
      containerOf(named('StatefulSet', name)).env.find((e: any) => e.name === variable).value as string
    expect(new URL(secret['POSTGRES_URL']!).pathname).to.equal(`/${valueOf('postgres', 'POSTGRES_DB')}`)
    expect(new URL(secret['CLICKHOUSE_URL']!).pathname).to.equal(`/${valueOf('clickhouse', 'CLICKHOUSE_DB')}`)
    expect(natsConf).to.match(/user: tidemark, password: \$NATS_PASSWORD/)
  })

  for (const workload of workloads) {
    const { name } = workload.metadata
    const pod = workload.spec.template.spec
    const container = containerOf(workload)
    it(`${name}: pinned, bounded, probed, unprivileged, and given time to end`, () => {
      expect(container.image).to.match(pinned)
      for (const part of ['requests', 'limits']) expect(container.resources[part]).to.have.all.keys('cpu', 'memory')
      expect(bytes(container.resources.limits.memory)).to.be.at.least(bytes(container.resources.requests.memory))
      const ports = portsOf(workload).map((port) => port.name)
      for (const probe of ['startupProbe', 'livenessProbe', 'readinessProbe']) {
        const { httpGet, exec } = container[probe]
        if (httpGet) expect(ports, probe).to.include(httpGet.port)
        else expect(exec.command[0]).to.equal('pg_isready')
      }
      expect(pod.securityContext).to.deep.include({ runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } })
      expect(container.securityContext).to.deep.include({
        allowPrivilegeEscalation: false,
        capabilities: { drop: ['ALL'] },
      })
      expect(pod.terminationGracePeriodSeconds).to.be.at.least(30)
      expect(selects(workload.spec.selector.matchLabels, labelsOf(workload))).to.equal(true)
    })

    it(`${name}: mounts and secrets that exist`, () => {
      const volumes = [
        ...(pod.volumes ?? []),
        ...(workload.spec.volumeClaimTemplates ?? []).map((c: any) => c.metadata),
      ]
      const mounted = container.volumeMounts.map((m: any) => m.name) as string[]
      expect(mounted.filter((mount) => !volumes.some((v: any) => v.name === mount))).to.deep.equal([])
      for (const volume of pod.volumes ?? [])
        if (volume.configMap) expect(named('ConfigMap', volume.configMap.name), volume.name).not.to.equal(undefined)
      for (const { valueFrom } of container.env ?? []) {
        const ref = valueFrom?.secretKeyRef
        if (ref) expect(named('Secret', ref.name).stringData).to.have.property(ref.key)
      }
    })
  }

  it('probe what each role serves, and let it drain', () => {
    const probes = (role: string) => {
      const { startupProbe, livenessProbe, readinessProbe } = containerOf(named('Deployment', role))
      return [startupProbe, livenessProbe, readinessProbe].map(({ httpGet }) => `${httpGet.port}${httpGet.path}`)
    }
    expect(probes('engine')).to.deep.equal(Array(3).fill('metrics/metrics'))
    expect(probes('edge')).to.deep.equal(Array(3).fill('http/healthz'))
    // A drain finishes its batch: a statement of PostgreSQL may take 30 s. Running requests of the edge have 10 s.
    expect(named('Deployment', 'engine').spec.template.spec.terminationGracePeriodSeconds).to.be.above(30)
    expect(named('Deployment', 'edge').spec.template.spec.terminationGracePeriodSeconds).to.be.above(5 + 10)
    expect(named('Deployment', 'engine').spec.template.spec.affinity).to.have.property('podAntiAffinity')
  })

  it('have services, budgets, rules and a scaler that meet pods', () => {
    const meets = (selector: any) => workloads.filter((w) => selects(selector.matchLabels ?? selector, labelsOf(w)))
    for (const { metadata, spec } of ofKind('Service')) {
      const [workload] = meets(spec.selector)
      const ports = portsOf(workload).map((port) => port.name)
      for (const { targetPort } of spec.ports) expect(ports, metadata.name).to.include(targetPort)
    }
    for (const { metadata, spec } of ofKind('PodDisruptionBudget'))
      expect(meets(spec.selector), metadata.name).to.have.length(1)
    for (const { metadata, spec } of ofKind('NetworkPolicy')) {
      const ports = meets(spec.podSelector).flatMap((w) => portsOf(w).map((p) => p.containerPort))
      const opened = (spec.ingress ?? []).flatMap((rule: any) => rule.ports.map((p: any) => p.port)) as number[]
      expect(
        opened.filter((port) => !ports.includes(port)),
        metadata.name,
      ).to.deep.equal([])
    }
    const { scaleTargetRef } = ofKind('HorizontalPodAutoscaler')[0].spec
    expect(named(scaleTargetRef.kind, scaleTargetRef.name).spec).not.to.have.property('replicas')
    for (const { metadata, spec } of ofKind('StatefulSet')) {
      expect(named('Service', spec.serviceName).spec.selector).to.deep.equal({ app: metadata.name })
    }
  })

  it('open every port that another pod calls, and close all else', () => {
    expect(named('NetworkPolicy', 'closed').spec).to.deep.equal({ podSelector: {}, policyTypes: ['Ingress', 'Egress'] })
    const opened = (name: string) =>
      named('NetworkPolicy', name).spec.ingress.flatMap((r: any) => r.ports.map((p: any) => p.port))
    expect(['edge', 'metrics', 'nats', 'postgres', 'clickhouse'].map(opened)).to.deep.equal(
      [[8080, 8124], [9464], [4222, 6222], [5432], [8123]], // prettier-ignore
    )
    // Analysts reach their port, and ClickHouse itself not at all.
    const reached = (name: string) =>
      JSON.stringify(named('NetworkPolicy', name).spec.ingress).includes('tidemark-analyst')
    expect([reached('edge'), reached('clickhouse')]).to.deep.equal([true, false])
    expect(named('Service', 'analysts').spec).to.deep.include({ selector: { app: 'edge' } })
  })

  it('let pods call what they need and nothing private beside: stores, names, the outside', () => {
    const rules = ofKind('NetworkPolicy').filter(({ spec }) => spec.egress)
    const ways = rules.flatMap(({ spec }) =>
      spec.egress.flatMap(({ to, ports }: any) =>
        to.map((target: any) => {
          const from = JSON.stringify(spec.podSelector.matchLabels ?? {})
          const where = target.ipBlock?.cidr ?? JSON.stringify(target.podSelector.matchLabels)
          return `${from} > ${where} ${ports.map((p: any) => p.port).join()}`
        }),
      ),
    )
    expect(ways).to.deep.equal([
      '{} > {"k8s-app":"kube-dns"} 53,53',
      '{"part-of":"tidemark"} > {"app":"nats"} 4222',
      '{"part-of":"tidemark"} > {"app":"postgres"} 5432',
      '{"part-of":"tidemark"} > {"app":"clickhouse"} 8123',
      '{"part-of":"tidemark"} > 0.0.0.0/0 443,465,587',
      '{"part-of":"tidemark"} > 2000::/3 443,465,587',
      '{"app":"nats"} > {"app":"nats"} 6222',
    ])
    const outside = named('NetworkPolicy', 'to-outside').spec.egress[0].to[0].ipBlock.except as string[]
    const open = [
      '10.1.2.3',
      '169.254.169.254',
      '172.20.0.1',
      '192.168.1.1',
      '100.100.100.200',
      '168.63.129.16',
      '8.8.8.8',
    ].filter((address) => !contains(outside, address))
    expect(open).to.deep.equal(['8.8.8.8'])
  })

  it('leave PostgreSQL connections for everyone at their most, with one of each role in exchange', () => {
    const engines = named('Deployment', 'engine').spec.replicas + 1
    const edges = ofKind('HorizontalPodAutoscaler')[0].spec.maxReplicas + 1
    const most = /max_connections=(\d+)/.exec(containerOf(named('StatefulSet', 'postgres')).args.join(' '))![1]
    expect(engines * 33 + edges * 32 + 10).to.be.at.most(Number(most))
    expect(containerOf(named('StatefulSet', 'postgres')).args).to.include('synchronous_commit=on')
  })

  it('have room for all streams at their full size on every NATS server', () => {
    const full = (lanes + 1) * Number(shared['TIDEMARK_LANE_BYTES']) + 1.5 * 2 ** 30
    const [, store] = /max_file_store: (\w+)/.exec(natsConf)!
    const volume = named('StatefulSet', 'nats').spec.volumeClaimTemplates[0].spec.resources.requests.storage
    expect(full).to.be.at.most(bytes(store!))
    expect(bytes(store!)).to.be.at.most(bytes(volume))
    expect(named('StatefulSet', 'nats').spec.replicas).to.equal(Number(shared['TIDEMARK_STREAM_REPLICAS']))
  })
})

describe('compose.yaml', () => {
  it('starts two engines, an edge and the three stores, each pinned, bounded and checked', () => {
    expect(services.map(([name]) => name)).to.have.members(['engine', 'edge', 'postgres', 'nats', 'clickhouse'])
    expect(compose.services.engine.deploy.replicas).to.equal(2)
    for (const [name, service] of services) {
      expect(service.image, name).to.match(pinned)
      expect(service.healthcheck, name).to.include.keys('test', 'interval', 'timeout', 'retries')
      expect(service.deploy.resources.limits, name).to.have.all.keys('cpus', 'memory')
      for (const { source } of service.configs ?? []) expect(compose.configs, name).to.have.property(source)
      for (const volume of service.volumes ?? [])
        if (typeof volume === 'string') expect(compose.volumes).to.have.property(volume.split(':')[0]!)
    }
  })

  it('starts what stands on the stores once they are healthy', () => {
    for (const role of ['engine', 'edge']) {
      expect(compose.services[role].depends_on).to.deep.equal({
        postgres: { condition: 'service_healthy' },
        nats: { condition: 'service_healthy' },
        clickhouse: { condition: 'service_healthy' },
      })
    }
  })

  it('gives settings that exist and are accepted, with ports that agree', () => {
    for (const role of ['engine', 'edge']) {
      const environment = compose.services[role].environment as Record<string, string>
      expect(Object.keys(environment).filter((name) => !known.has(name))).to.deep.equal([])
      const filled = Object.entries(environment).map(([name, value]) => [
        name,
        value
          .replaceAll(/\$\{\w+:-\}/g, '')
          .replaceAll(/\$\{(\w+):\?[^}]*\}/g, (_, variable) => (variable === 'CREDENTIALS_KEY' ? anyKey : 'p1')),
      ])
      const taken = readSettings(Object.fromEntries(filled) as Record<string, string>)
      expect(taken).to.include({
        role,
        host: '0.0.0.0',
        port: 8080,
        metricsHost: '0.0.0.0',
        metricsPort: 9464,
        lanes: 16,
      })
      expect(taken).to.include({
        natsUrl: 'nats://tidemark:p1@nats:4222',
        clickhouseUrl: 'http://tidemark:p1@clickhouse:8123/tidemark',
      })
    }
    expect(compose.services.edge.ports).to.deep.equal(['127.0.0.1:8080:8080', '127.0.0.1:8124:8124'])
    expect(String(compose.services.engine.healthcheck.test)).to.include('127.0.0.1:9464/metrics')
    expect(String(compose.services.edge.healthcheck.test)).to.include('127.0.0.1:8080/healthz')
  })

  it('has room for all streams at their full size', () => {
    const full = (lanes + 1) * Number(compose.services.engine.environment.TIDEMARK_LANE_BYTES) + 1.5 * 2 ** 30
    expect(full).to.be.at.most(bytes(/max_file_store: (\w+)/.exec(composeNatsConf)![1]!))
  })
})

describe('the stores, wherever they are deployed', () => {
  it('map ingest subjects to as many lanes as the settings say', () => {
    expect(lanes).to.equal(16)
    expect(compose.services.engine.environment.TIDEMARK_LANES).to.equal('16')
    for (const text of [natsConf, composeNatsConf, read('docs/configure.md')])
      expect(text).to.include(mapping).and.to.include(results)
    expect(read('engine/store/nats/nats.ts')).to.include(mapping.replace('16', '${lanes}'))
    // Indentation apart, the account that the embedded server has.
    const squeezed = (text: string) => text.replaceAll(/\s+/g, ' ')
    const account = squeezed(serviceAccountText(lanes, '$NATS_PASSWORD'))
    for (const text of [natsConf, composeNatsConf.replaceAll('$$', '$')]) expect(squeezed(text)).to.include(account)
  })

  it('have what they acknowledge on disk', () => {
    const durable = {
      fsync_after_insert: '1',
      fsync_part_directory: '1',
      min_rows_to_fsync_after_merge: '1',
      min_compressed_bytes_to_fsync_after_merge: '1',
      max_suspicious_broken_parts: '1000000',
      max_suspicious_broken_parts_bytes: '1000000000000',
    }
    for (const text of [named('ConfigMap', 'clickhouse').data['durability.xml'], compose.configs.clickhouse.content]) {
      const [, inside] = /<merge_tree>([^]*)<\/merge_tree>/.exec(text as string)!
      expect(
        Object.fromEntries([...inside!.matchAll(/<(\w+)>(\w+)</g)].map(([, name, value]) => [name, value])),
      ).to.deep.equal(durable)
    }
    for (const text of [natsConf, composeNatsConf]) expect(text).to.match(/^\s*sync_interval: always$/m)
  })

  it('have a NATS configuration the server takes', async function () {
    const { file, version } = await findNatsServer(at('.cache'), () => {}, {
      path: process.env['PATH'],
      bin: process.env['NATS_SERVER_BIN'],
    })
    if (version.startsWith('2.9.')) this.skip()
    const dir = mkdtempSync(path.join(tmpdir(), 'tidemark-deploy-'))
    const env = { POD_NAME: 'nats-0', NATS_PASSWORD: 'p1' }
    mkdirSync(path.join(dir, 'users'))
    writeFileSync(path.join(dir, 'users', 'users.conf'), '')
    for (const text of [natsConf, composeNatsConf.replaceAll('$$', '$')]) {
      writeFileSync(path.join(dir, 'nats.conf'), text)
      await promisify(execFile)(file, ['-t', '-c', path.join(dir, 'nats.conf')], { env })
    }
    rmSync(dir, { recursive: true })
  })

  it('have statements for analysts that ClickHouse parses, each table they read under a policy', async () => {
    const statements = read('config/deploy/clickhouse-analyst.sql')
      .replaceAll(/^--.*$/gm, '')
      .split(';')
      .map((s) => s.replaceAll(/\s+/g, ' ').trim())
      .filter(Boolean)
    const { url } = (await testStores()).clickhouse
    for (const statement of statements) {
      const body = 'select formatQuerySingleLine({q:String})'
      const answer = await askAt(url, { body, params: { param_q: statement } })
      expect(answer.status, `${statement}: ${await answer.text()}`).to.equal(200)
    }
    const tables = readdirSync(at('analytics/tables')).flatMap((file) => {
      const [, table] = /^CREATE TABLE IF NOT EXISTS (\w+)/m.exec(read('analytics/tables', file)) ?? []
      return table === undefined || table === 'installation' ? [] : [table]
    })
    const ofSystem = / ON (system\.\w+) USING (.*) TO tidemark_analyst$/
    expect(statements.flatMap((s) => [ofSystem.exec(s)?.slice(1) ?? []].filter((one) => one.length > 0))).to.deep.equal(
      [
        ['system.columns', 'database = currentDatabase()'],
        ['system.databases', 'name = currentDatabase()'],
        ['system.tables', 'database = currentDatabase()'],
      ],
    )
    const policies = statements
      .filter((s) => s.includes('ROW POLICY') && !ofSystem.test(s))
      .map(
        (s) =>
          /POLICY OR REPLACE organization ON tidemark\.(\w+) USING currentDatabase\(\) = 'tidemark' OR .* TO ALL$/.exec(
            s,
          )![1],
      )
    expect(policies).to.have.members(tables)
    const granted = statements.filter((s) => /^GRANT .* TO tidemark_analyst$/.test(s))
    expect(granted).to.deep.equal(['GRANT SELECT ON org_*.* TO tidemark_analyst'])
  })

  it('print them as they are kept here', async () => {
    const { text } = await analystRightsCommand.run({ values: {}, positionals: [] } as never)
    expect(read('config/deploy/clickhouse-analyst.sql')).to.equal(`${text}\n`)
  })
})
