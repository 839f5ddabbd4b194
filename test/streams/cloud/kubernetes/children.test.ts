import { expect } from 'chai'
import { generate } from 'selfsigned'
import { cloudFault, type DiscoveredResource } from '#streams/cloud/connector.ts'
import type { KubernetesApi } from '#streams/cloud/kubernetes/api/api.ts'
import { kubernetesChildren } from '#streams/cloud/kubernetes/object/children.ts'
import { listedKinds, pathOf } from '#streams/cloud/kubernetes/object/kind.ts'
import { kubernetesKinds } from '#streams/cloud/resource/resource-type.ts'
import {
  apiOf,
  cluster,
  failure,
  fixedServer,
  list,
  unpaced,
  type Answer,
  type Asked,
  type FixedServer,
} from '#test/harness/kubernetes.ts'

const named = (name: string, namespace?: string) => ({ metadata: { name, ...(namespace && { namespace }) } })
const types = (...kinds: string[]) => kinds.map((kind) => `aws-eks-${kind}`)
const allTypes = types(...Object.keys(kubernetesKinds))
const without = (...kinds: string[]) => allTypes.filter((type) => !types(...kinds).includes(type))

/** An empty cluster of all kinds but for what is given, by path. */
const answers =
  (given: Record<string, (asked: Asked) => Answer> = {}) =>
  (asked: Asked): Answer | undefined => {
    const own = given[asked.path]
    if (own) return own(asked)
    return listedKinds.some((kind) => pathOf(kind) === asked.path) ? list('Any', []) : undefined
  }

interface Scanned {
  found: string[]
  pages: number[]
  seen: readonly { types: string[]; regions: string[]; parents?: string[] | undefined }[]
  missing: readonly string[]
  message: string | undefined
}

async function scanned(api: KubernetesApi): Promise<Scanned> {
  const children = kubernetesChildren(api, cluster)
  const all: DiscoveredResource[][] = []
  for await (const page of children.pages) all.push(page)
  return {
    found: all.flat().map(({ resourceUid }) => resourceUid.slice(cluster.uid.length + 1)),
    pages: all.map((page) => page.length),
    seen: children.seen(),
    missing: children.missingPermissions(),
    message: children.message(),
  }
}

describe('what runs in a cluster', () => {
  const servers: FixedServer[] = []
  const serve = async (answer: FixedServer['answer'], tls?: { key: string; cert: string }) => {
    const server = await fixedServer(answer, tls)
    servers.push(server)
    return server
  }
  afterEach(() => servers.splice(0).forEach((server) => server.close()))

  it('is asked for in 24 kinds and three beside them, each list once, with the token, 500 a page', async () => {
    const { url, asked } = await serve(answers())
    const { found, seen, missing, message } = await scanned(apiOf(url))
    expect({ found, missing, message }).to.deep.equal({ found: [], missing: [], message: undefined })
    expect(seen).to.have.length(1)
    expect(seen[0]).to.deep.include({ regions: [], parents: [cluster.uid] })
    expect(seen[0]!.types).to.have.members(allTypes)
    expect(asked.map(({ path }) => path)).to.deep.equal(listedKinds.map((kind) => pathOf(kind)))
    expect(asked).to.have.length(27)
    expect(new Set(asked.map(({ query }) => JSON.stringify(query)))).to.deep.equal(new Set(['{"limit":"500"}']))
    expect(new Set(asked.map(({ headers }) => headers.authorization))).to.deep.equal(new Set(['Bearer secret-token']))
  })

  it('never asks for what secrets and config maps hold, and keeps nothing of it when it is told all the same', async () => {
    const secret = { ...named('database', 'shop'), data: { password: 'aHVudGVyMg==' }, stringData: { a: 'hunter2' } }
    const config = { ...named('settings', 'shop'), data: { key: 'hunter2' } }
    const { url, asked } = await serve(
      answers({
        '/api/v1/secrets': () => list('Secret', [secret]),
        '/api/v1/configmaps': () => list('ConfigMap', [config]),
      }),
    )
    const children = kubernetesChildren(apiOf(url), cluster)
    const all: DiscoveredResource[] = []
    for await (const page of children.pages) all.push(...page)
    expect(all.map(({ type, name }) => [type, name])).to.deep.equal([
      ['aws-eks-configmap', 'settings'],
      ['aws-eks-secret', 'database'],
    ])
    expect(JSON.stringify(all)).to.not.match(/hunter2|aHVudGVyMg|password/)
    const accepted = asked.filter(({ path }) => /secrets|configmaps/.test(path)).map(({ headers }) => headers.accept)
    const metadataOnly = 'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io'
    expect(accepted).to.deep.equal([metadataOnly, metadataOnly])
  })

  it('comes page by page, by the token of the page before', async () => {
    const pages: Record<string, Answer> = {
      '': list('Pod', [named('a', 'shop'), named('b', 'shop')], 'two'),
      two: list('Pod', [], 'three'),
      three: list('Pod', [named('c', 'other')]),
    }
    const { url, asked } = await serve(answers({ '/api/v1/pods': ({ query }) => pages[query['continue'] ?? '']! }))
    const { found, pages: sizes } = await scanned(apiOf(url))
    expect(found).to.deep.equal(['shop/pod/a', 'shop/pod/b', 'other/pod/c'])
    expect(sizes).to.deep.equal([2, 1])
    expect(asked.filter(({ path }) => path === '/api/v1/pods').map(({ query }) => query)).to.deep.equal([
      { limit: '500' },
      { limit: '500', continue: 'two' },
      { limit: '500', continue: 'three' },
    ])
  })

  it('is listed again when a page has expired, and is told once', async () => {
    let rounds = 0
    const pods = ({ query }: Asked): Answer => {
      if (query['continue'] === undefined)
        return list('Pod', [named(rounds++ === 0 ? 'old' : 'new', 'shop'), named('both', 'shop')], 'next')
      return rounds === 1
        ? failure(410, 'The provided continue parameter is too old')
        : list('Pod', [named('last', 'shop')])
    }
    const { url } = await serve(answers({ '/api/v1/pods': pods }))
    const { found, seen, message } = await scanned(apiOf(url))
    expect(found).to.deep.equal(['shop/pod/old', 'shop/pod/both', 'shop/pod/new', 'shop/pod/last'])
    expect(seen[0]!.types).to.have.members(allTypes)
    expect(message).to.equal(undefined)
  })

  it('is not seen in a kind whose pages expire again and again', async () => {
    const pods = ({ query }: Asked): Answer =>
      query['continue'] === undefined ? list('Pod', [named('a', 'shop')], 'next') : failure(410, 'too old')
    const { url, asked } = await serve(answers({ '/api/v1/pods': pods }))
    const { found, seen, message } = await scanned(apiOf(url))
    expect(found).to.deep.equal(['shop/pod/a'])
    expect(seen[0]!.types).to.have.members(without('pod'))
    expect(message).to.equal('Kubernetes list pods in prod: too old The list expired while it was being read.')
    expect(asked.filter(({ path }) => path === '/api/v1/pods')).to.have.length(8)
  })

  it('is not seen in a kind of which a page is lost; what was found before stands, and the rest is seen', async () => {
    const deployments = ({ query }: Asked): Answer =>
      query['continue'] === undefined
        ? list('Deployment', [named('web', 'shop')], 'next')
        : failure(503, 'etcd is away')
    const { url, asked } = await serve(answers({ '/apis/apps/v1/deployments': deployments }))
    const { found, seen, missing, message } = await scanned(apiOf(url))
    expect(found).to.deep.equal(['shop/deployment/web'])
    expect(seen[0]!.types).to.have.members(without('deployment'))
    expect({ missing, message }).to.deep.equal({
      missing: [],
      message: 'Kubernetes list deployments.apps in prod: etcd is away',
    })
    expect(
      asked.filter(({ path }) => path.endsWith('/deployments')),
      'one page, and four tries',
    ).to.have.length(5)
  })

  it('names the permission it lacks of each kind, by verb and resource, and sees the others', async () => {
    for (const kind of listedKinds) {
      const { url } = await serve(answers({ [pathOf(kind)]: () => failure(403, 'forbidden') }))
      const { seen, missing, message } = await scanned(apiOf(url))
      const resource = kind.group === '' ? kind.plural : `${kind.plural}.${kind.group}`
      expect({ missing, message }, kind.kind).to.deep.equal({ missing: [`list ${resource}`], message: undefined })
      expect(seen[0]!.types, kind.kind).to.have.members(without(kind.kind))
    }
  })

  it('has no vertical autoscalers where the cluster knows none; of any other kind that is no answer', async () => {
    const lost = (path: string) =>
      answers({ [path]: () => failure(404, 'the server could not find the requested resource') })
    const vertical = await serve(lost('/apis/autoscaling.k8s.io/v1/verticalpodautoscalers'))
    const one = await scanned(apiOf(vertical.url))
    expect(one.seen[0]!.types).to.have.members(allTypes)
    expect(one.message).to.equal(undefined)
    const horizontal = await serve(lost('/apis/autoscaling/v2/horizontalpodautoscalers'))
    const other = await scanned(apiOf(horizontal.url))
    expect(other.seen[0]!.types).to.have.members(without('horizontalpodautoscaler'))
    expect(other.message).to.include('list horizontalpodautoscalers.autoscaling in prod')
  })

  describe('that cannot be reached is not seen at all, which is no error', () => {
    const unseen = async (api: KubernetesApi, ...said: string[]) => {
      const { found, seen, missing, message } = await scanned(api)
      expect({ found, seen, missing }).to.deep.equal({ found: [], seen: [], missing: [] })
      expect(message).to.match(/^The cluster prod could not be discovered: /)
      for (const words of said) expect(message).to.include(words)
    }

    it('behind a private address, written out or behind its name', async () => {
      const options = { allowPrivate: false, resolve: async () => [{ address: '10.0.12.7', family: 4 }] }
      await unseen(apiOf('https://10.0.12.7', {}, options), 'private network')
      await unseen(apiOf('https://ABC.gr7.eu-west-1.eks.amazonaws.com', {}, options), 'private network')
    })

    it('where nobody listens', async () => {
      const server = await serve(answers())
      server.close()
      await unseen(apiOf(server.url), 'ECONNREFUSED')
    })

    it('where connections are cut', async () => {
      const { url } = await serve(() => ({}))
      await unseen(apiOf(url))
    })

    it('where it does not know us, now or from midway on', async () => {
      const { url, asked } = await serve(() => failure(401, 'Unauthorized'))
      await unseen(apiOf(url), 'Unauthorized')
      expect(asked, 'asked once').to.have.length(1)
      const half = await serve(({ path }) =>
        path === '/api/v1/nodes' ? list('Node', [named('n1')]) : failure(401, 'Unauthorized'),
      )
      const { found, seen } = await scanned(apiOf(half.url))
      expect(found).to.deep.equal(['node/n1'])
      expect(seen).to.deep.equal([{ types: types('node'), regions: [], parents: [cluster.uid] }])
      expect(half.asked).to.have.length(2)
    })

    it('with a certificate that its authority has not signed; with one that it has, it is', async () => {
      const attributes = [{ name: 'commonName', value: '127.0.0.1' }]
      const own = await generate(attributes, {
        keyType: 'ec',
        extensions: [
          { name: 'basicConstraints', cA: true },
          { name: 'subjectAltName', altNames: [{ type: 7, ip: '127.0.0.1' }] },
        ],
      })
      const other = await generate(attributes, { keyType: 'ec' })
      const { url } = await serve(answers(), { key: own.private, cert: own.cert })
      await unseen(apiOf(url), 'could not be reached')
      await unseen(apiOf(url, { ca: other.cert }), 'could not be reached')
      expect((await scanned(apiOf(url, { ca: own.cert }))).seen[0]!.types).to.have.members(allTypes)
    })
  })

  it('is given up midway when the server fails again and again, and what was read to the end is seen', async () => {
    const { url, asked } = await serve(
      answers({ '/api/v1/pods': () => failure(503, 'away'), '/api/v1/resourcequotas': () => failure(503, 'away') }),
    )
    const { seen, message } = await scanned(apiOf(url, {}, { caller: unpaced({ breakAfter: 5 }) }))
    expect(seen).to.deep.equal([{ types: types('node'), regions: [], parents: [cluster.uid] }])
    expect(message).to.match(/^Kubernetes list pods in prod: away The cluster prod was only partly discovered: /)
    expect(asked, 'one list, four tries, and one').to.have.length(6)
  })

  it('waits as long as the server asks, and asks again', async () => {
    let first = true
    const nodes = (): Answer => {
      const answer = first
        ? { ...failure(429, 'slow down'), headers: { 'retry-after': '7' } }
        : list('Node', [named('n1')])
      first = false
      return answer
    }
    const { url } = await serve(answers({ '/api/v1/nodes': nodes }))
    const slept: number[] = []
    const { found } = await scanned(apiOf(url, {}, { caller: unpaced({}, slept) }))
    expect(found).to.deep.equal(['node/n1'])
    expect(slept).to.deep.equal([7000])
  })

  it('is of one namespace alone where the connection is', async () => {
    const web = list('Deployment', [named('web', 'shop')])
    const { url, asked } = await serve(({ path }) => {
      if (path === '/apis/apps/v1/namespaces/shop/deployments') return web
      return path.includes('/namespaces/shop/') ? list('Any', []) : failure(403, 'forbidden')
    })
    const { found, seen, missing, message } = await scanned(apiOf(url, { namespace: 'shop' }))
    expect({ found, missing, message }).to.deep.equal({
      found: ['shop/deployment/web'],
      missing: [],
      message: 'Only the namespace shop of the cluster prod is discovered.',
    })
    const whole = ['node', 'namespace', 'persistentvolume', 'storageclass', 'clusterrole', 'clusterrolebinding']
    expect(seen[0]!.types).to.have.members(without(...whole))
    expect(asked.filter(({ path }) => !path.includes('/namespaces/shop/'))).to.deep.equal([])
  })

  it('fails the scan when the credentials of the account are refused', async () => {
    const refused = cloudFault('user_action', 'credentials_refused', 'AWS does not allow Tidemark to assume the role.')
    const { url } = await serve(answers())
    const error = await scanned(apiOf(url, { token: () => Promise.reject(refused) })).catch((thrown: unknown) => thrown)
    expect(error).to.equal(refused)
  })

  it('ends when it is told to', async () => {
    const stop = new AbortController()
    const { url } = await serve(() => {
      stop.abort(new Error('stopped'))
      return list('Any', [])
    })
    const error = await scanned(apiOf(url, {}, {}, stop.signal)).catch((thrown: unknown) => thrown)
    expect((error as Error).message).to.equal('stopped')
  })

  it('is left alone where answers are none: no list, no JSON, no objects, no names', async () => {
    const odd: Record<string, Answer> = {
      '/api/v1/nodes': { body: '<html>' },
      '/api/v1/pods': { body: { kind: 'PodList', items: 'many' } },
      '/api/v1/services': { body: [] },
      '/api/v1/namespaces': list('Namespace', [
        null,
        7,
        'x',
        [],
        {},
        { metadata: null },
        { metadata: { name: 5 } },
        named('ok'),
      ]),
      '/apis/apps/v1/deployments': list('Deployment', [
        named('no-namespace'),
        named('a/b', 'shop'),
        named('x'.repeat(1025), 'shop'),
      ]),
    }
    const { url } = await serve(
      answers(Object.fromEntries(Object.entries(odd).map(([path, answer]) => [path, () => answer]))),
    )
    const { found, seen } = await scanned(apiOf(url))
    expect(found).to.deep.equal(['namespace/ok'])
    expect(seen[0]!.types).to.have.members(without('node', 'pod', 'service'))
  })
})
