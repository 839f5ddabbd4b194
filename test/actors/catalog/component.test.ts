/** The components of the catalog as they are applied: that what one object names is there, and that nothing runs unbounded. */
import { expect } from 'chai'
import {
  componentCategories,
  components,
  findComponent,
  valuesOf,
  type Manifest,
} from '#actors/catalog/components/load.ts'
import { manifestsOf, type Cluster } from '#actors/catalog/components/render.ts'
import { decoder } from '#engine/value/schema.ts'
import type { Provider } from '#streams/names.ts'

const cluster = (provider: Provider = 'aws'): Cluster => ({ name: 'shop', region: 'us-east-1', provider })
const component = (id: string) => findComponent(id)!
const made = (id: string, values: object = {}, of = cluster()): Manifest[] =>
  manifestsOf(component(id), values as Record<string, unknown>, of)

/** Values by which everything is there that may be. */
const all: Readonly<Record<string, object>> = {
  'cert-manager': { acmeEmail: 'ops@example.com' },
  'metrics-server': { trustsAllKubelets: true },
  'cluster-autoscaler': { roleARN: 'arn:aws:iam::123456789012:role/scaler' },
  'fluent-bit': { output: 'http', tls: true },
  'secrets-store-csi-driver': { syncsSecrets: true },
  flux: { repositoryURL: 'https://example.com/acme/fleet.git', secretName: 'git' },
}

const renderings = components.flatMap(({ id, clouds }) =>
  clouds.flatMap((provider) =>
    [{}, all[id] ?? {}].map((values, n) => ({
      name: `${id} for ${provider}${n === 1 ? ', with everything' : ''}`,
      namespace: component(id).namespace,
      objects: made(id, values, cluster(provider)) as any[],
    })),
  ),
)

const podsOf = (objects: any[]) =>
  objects
    .filter(({ kind }) => ['Deployment', 'DaemonSet'].includes(kind))
    .map((one) => ({ name: one.metadata.name, selector: one.spec.selector, ...one.spec.template }))
const namesOf = (objects: any[], ...kinds: string[]) =>
  objects.filter(({ kind }) => kinds.includes(kind)).map(({ metadata }) => metadata.name)

describe('the components of the catalog', () => {
  it('are eight, each of one of the five categories, all of which there are [CAT-01] [G-89]', () => {
    expect(components.map(({ id, category }) => `${id} ${category}`)).to.deep.equal([
      'ingress-nginx networking',
      'cert-manager security',
      'metrics-server observability',
      'cluster-autoscaler scaling',
      'fluent-bit observability',
      'secrets-store-csi-driver security',
      'flux delivery',
      'istio networking',
    ])
    expect(new Set(components.map(({ category }) => category))).to.deep.equal(new Set(componentCategories))
  })

  for (const { id, values } of components)
    it(`${id} needs no values, and takes its own defaults [G-89]`, () => {
      const decode = decoder(values)
      expect(decode({})).to.deep.equal({})
      const defaults = valuesOf(component(id), {})
      expect(decode(defaults)).to.deep.equal(defaults)
      expect(() => decode({ ...defaults, strange: 1 })).to.throw()
      if (all[id]) expect(decode(all[id])).to.deep.equal(all[id])
    })

  for (const { name, namespace, objects } of renderings)
    describe(name, () => {
      it('is of whole objects, each once, in its namespace, with nothing left to fill in', () => {
        const keys = objects.map(({ kind, metadata }) => `${kind} ${metadata.namespace ?? ''} ${metadata.name}`)
        expect(new Set(keys).size).to.equal(keys.length)
        expect(JSON.stringify(objects)).to.not.match(/\{\{|"\$if"|"\$lines"|undefined/)
        for (const { metadata } of objects) {
          expect(metadata.namespace ?? namespace, metadata.name).to.equal(namespace)
          expect(metadata.labels, metadata.name).to.deep.include({ 'app.kubernetes.io/managed-by': 'tidemark' })
        }
        if (namespace !== 'kube-system') expect(objects[0].kind).to.equal('Namespace')
      })

      it('has texts where Kubernetes takes nothing else', () => {
        for (const { kind, metadata, data } of objects)
          for (const text of Object.values({
            ...metadata.annotations,
            ...metadata.labels,
            ...(kind === 'ConfigMap' && data),
          }))
            expect(text, metadata.name).to.be.a('string')
      })

      it('runs under accounts that are there, and gives rights to them alone by roles that are there', () => {
        const accounts = namesOf(objects, 'ServiceAccount')
        for (const { name: pod, spec } of podsOf(objects)) expect(accounts, pod).to.include(spec.serviceAccountName)
        const builtIn = ['cluster-admin', 'system:auth-delegator', 'extension-apiserver-authentication-reader']
        for (const { kind, metadata, roleRef, subjects } of objects.filter((one) => one.roleRef)) {
          expect([...builtIn, ...namesOf(objects, roleRef.kind)], metadata.name).to.include(roleRef.name)
          for (const subject of subjects) {
            expect(accounts, `${kind} ${metadata.name}`).to.include(subject.name)
            expect(subject.namespace).to.equal(namespace)
          }
        }
      })

      it('bounds the memory of each container, takes images of one version, and mounts what is there', () => {
        const pods = podsOf(objects)
        expect(pods.length).to.be.above(0)
        for (const { name: pod, metadata, selector, spec } of pods) {
          expect(metadata.labels, pod).to.deep.include(selector.matchLabels)
          const volumes = (spec.volumes ?? []).map((volume: any) => volume.name)
          expect(new Set(volumes).size, pod).to.equal(volumes.length)
          for (const { name: inner, image, resources, volumeMounts = [] } of spec.containers) {
            expect(image, `${pod} ${inner}`).to.match(/^[\w.-]+\.[a-z]+\/[\w./-]+:v?\d+\.\d+\.\d+(-distroless)?$/)
            expect(resources.requests, `${pod} ${inner}`).to.have.all.keys('cpu', 'memory')
            expect(resources.limits, `${pod} ${inner}`).to.have.all.keys('memory')
            for (const mounted of volumeMounts) expect(volumes, `${pod} ${inner}`).to.include(mounted.name)
          }
          const configs = (spec.volumes ?? []).flatMap((volume: any) => volume.configMap?.name ?? [])
          for (const config of configs.filter((one: string) => one !== 'istio-ca-root-cert'))
            expect(namesOf(objects, 'ConfigMap'), pod).to.include(config)
        }
      })

      it('leads services to pods that listen there, and webhooks and interfaces to services', () => {
        const pods = podsOf(objects)
        for (const { metadata, spec } of objects.filter(({ kind }) => kind === 'Service')) {
          const behind = pods.filter((pod) =>
            Object.entries(spec.selector).every(([key, value]) => pod.metadata.labels[key] === value),
          )
          expect(behind.length, metadata.name).to.equal(1)
          const ports = behind[0].spec.containers.flatMap((one: any) => (one.ports ?? []).map((port: any) => port.name))
          for (const { targetPort } of spec.ports) expect(ports, metadata.name).to.include(targetPort)
        }
        const led = objects.flatMap(({ kind, spec, webhooks = [] }) => [
          ...(kind === 'APIService' ? [spec.service.name] : []),
          ...webhooks.map((one: any) => one.clientConfig.service.name),
        ])
        for (const service of led) expect(namesOf(objects, 'Service')).to.include(service)
      })

      it('defines the kinds of its own before it makes any', () => {
        const defined: string[] = []
        const own = /\.(?:cert-manager\.io|toolkit\.fluxcd\.io|istio\.io|x-k8s\.io)$|^cert-manager\.io$/
        for (const { apiVersion, kind, metadata, spec } of objects) {
          if (kind === 'CustomResourceDefinition') {
            expect(metadata.name).to.equal(`${spec.names.plural}.${spec.group}`)
            expect(spec.versions.filter(({ storage }: any) => storage).length).to.equal(1)
            for (const { name: version } of spec.versions) defined.push(`${spec.group}/${version} ${spec.names.kind}`)
          } else if (own.test(apiVersion.split('/')[0]!)) expect(defined).to.include(`${apiVersion} ${kind}`)
        }
      })
    })

  it('put their values in as they are: numbers, truths, words within words, and what is left out', () => {
    const deployment = (id: string, values: object) => made(id, values).find(({ kind }) => kind === 'Deployment') as any
    expect(deployment('ingress-nginx', {}).spec.replicas).to.equal(2)
    expect(deployment('ingress-nginx', { replicas: 5 }).spec.replicas).to.equal(5)
    const args = (values: object) => deployment('metrics-server', values).spec.template.spec.containers[0].args
    expect(args({})).to.include('--metric-resolution=15s')
    expect(args({})).to.not.include('--kubelet-insecure-tls')
    expect(args({ trustsAllKubelets: true })).to.include('--kubelet-insecure-tls')
    const account = (values: object) => (made('cluster-autoscaler', values)[0] as any).metadata.annotations
    expect(account({})).to.deep.equal({})
    expect(account(all['cluster-autoscaler']!)).to.deep.equal({
      'eks.amazonaws.com/role-arn': 'arn:aws:iam::123456789012:role/scaler',
    })
    const command = deployment('cluster-autoscaler', {}).spec.template.spec.containers[0].command
    expect(command.at(-1)).to.match(/cluster-autoscaler\/shop$/)
    const kinds = (values: object) => made('flux', values).map(({ kind }) => kind)
    expect(kinds({})).to.not.include('GitRepository')
    expect(kinds(all['flux']!).slice(-2)).to.deep.equal(['GitRepository', 'Kustomization'])
    const repository = made('flux', all['flux']!).at(-2) as any
    expect(repository.spec).to.deep.equal({
      interval: '5m',
      url: 'https://example.com/acme/fleet.git',
      ref: { branch: 'main' },
      secretRef: { name: 'git' },
    })
  })

  it('sends logs to those of the cloud that the cluster is in, else where it is told', () => {
    const outputs = (values: object, provider: Provider) => {
      const map = made('fluent-bit', values, cluster(provider)).find(({ kind }) => kind === 'ConfigMap') as any
      return map.data['fluent-bit.conf']
        .split('[OUTPUT]\n')[1]
        .split('\n')
        .map((line: string) => line.trim())
    }
    expect(outputs({}, 'aws').slice(0, 4)).to.deep.equal([
      'Name cloudwatch_logs',
      'Match *',
      'region us-east-1',
      'log_group_name /tidemark/shop',
    ])
    expect(outputs({}, 'gcp')[0]).to.equal('Name stackdriver')
    expect(outputs({}, 'azure')[0]).to.equal('Name stdout')
    expect(outputs({ output: 'http', host: 'logs.example.com', port: 443, tls: true }, 'azure')).to.deep.equal([
      'Name http',
      'Match *',
      'Host logs.example.com',
      'Port 443',
      'URI /',
      'Format json',
      'tls On',
    ])
  })

  it('lets no value write lines of its own into a configuration', () => {
    const decode = decoder(component('fluent-bit').values)
    for (const values of [{ host: 'x\n[OUTPUT]' }, { path: '/a\nb' }, { output: 'file' }, { host: 'a b' }])
      expect(() => decode(values), JSON.stringify(values)).to.throw()
  })

  it('name no member that holds a secret', () => {
    const names = components.flatMap(({ values }) => Object.keys(values.properties))
    const own = ['secretName', 'syncsSecrets']
    expect(names.filter((name) => /password|token|key|secret/i.test(name)).toSorted()).to.deep.equal(own)
  })
})
