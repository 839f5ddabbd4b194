import { expect } from 'chai'
import { createPublicKey, verify } from 'node:crypto'
import { look } from '#streams/cloud/gcp/act/act.ts'
import { openGcp } from '#streams/cloud/gcp/session/session.ts'
import type { Fault } from '#engine/value/fault.ts'
import type { CloudAccount } from '#streams/cloud/connector.ts'
import {
  account,
  email,
  fails,
  farGoogle,
  privateKey,
  refusing,
  serviceAccount,
  type Answer,
  type FarGoogle,
  type FarOptions,
  type Question,
} from './far-google.ts'

const machine = {
  resourceUid: 'projects/shop-prod/zones/us-central1-a/instances/web',
  type: 'gcp-vm',
  region: 'us-central1',
}
const minuteMs = 60_000
const audience = '//iam.googleapis.com/projects/123/locations/global/workloadIdentityPools/tidemark/providers/tidemark'
const impersonation = `https://iamcredentials.googleapis.com/v1/projects/-/serviceAccounts/${email}:generateAccessToken`
const federated = {
  ...account,
  credentials: {
    workloadIdentity: {
      type: 'external_account',
      audience,
      subject_token_type: 'urn:ietf:params:oauth:token-type:jwt',
      service_account_impersonation_url: impersonation,
    },
  },
} satisfies CloudAccount

describe('tokens of an account of Google Cloud', () => {
  const realNow = Date.now
  let far: FarGoogle
  const answering = async (
    answer: (question: Question) => Answer = () => ({ body: { name: 'web', status: 'RUNNING' } }),
    more: FarOptions = {},
  ) => {
    far = await farGoogle(answer, more)
    return (of: CloudAccount = account) => look(far.options, of, machine)
  }
  afterEach(async () => {
    Date.now = realNow
    await far.close()
  })

  it('are asked for by a statement that the key of the service account has signed', async () => {
    const ask = await answering()
    await ask()
    const [{ path, body }] = far.tokens as [Question]
    expect([path, body.grant_type]).to.deep.equal(['/token', 'urn:ietf:params:oauth:grant-type:jwt-bearer'])
    const [header, claims, signature] = (body.assertion as string).split('.') as [string, string, string]
    const read = (part: string) => JSON.parse(Buffer.from(part, 'base64url').toString()) as Record<string, unknown>
    expect(read(header)).to.deep.equal({ alg: 'RS256' })
    const { iat, exp, ...rest } = read(claims) as { iat: number; exp: number }
    expect(rest).to.deep.equal({
      iss: email,
      scope: 'https://www.googleapis.com/auth/cloud-platform',
      aud: 'https://oauth2.googleapis.com/token',
    })
    expect(exp - iat).to.equal(3600)
    const isSigned = verify(
      'RSA-SHA256',
      Buffer.from(`${header}.${claims}`),
      createPublicKey(privateKey),
      Buffer.from(signature, 'base64url'),
    )
    expect(isSigned).to.equal(true)
  })

  it('are shared by all sessions of an account until ten minutes before their end', async () => {
    const ask = await answering()
    await Promise.all([ask(), ask(), ask()])
    Date.now = () => realNow() + 49 * minuteMs
    await ask()
    expect(far.tokens).to.have.length(1)
    Date.now = () => realNow() + 51 * minuteMs
    await ask()
    expect(far.tokens).to.have.length(2)
    expect(new Set(far.questions.map(({ token }) => token)).size).to.equal(2)
  })

  it('are nobody else’s: another organization, account or key has its own', async () => {
    const ask = await answering()
    const others: CloudAccount[] = [
      { ...account, orgId: 'another' },
      { ...account, id: 'another' },
      { ...account, credentials: { serviceAccount: { ...serviceAccount, private_key_id: 'key2' } } },
    ]
    for (const one of [account, ...others, account, ...others]) await ask(one)
    expect(far.tokens).to.have.length(4)
  })

  it('that Google takes no more are fetched anew, by who asks next', async () => {
    let isOut = false
    const ask = await answering(() => (isOut ? refusing(401, 'authError') : { body: { name: 'web' } }))
    await ask()
    isOut = true
    expect(await fails(ask())).to.equal('user_action credentials_refused')
    isOut = false
    await ask()
    expect(far.tokens).to.have.length(2)
  })

  it('are asked for anew by who checks the account', async () => {
    const ask = await answering()
    await ask()
    await openGcp(account, far.options, undefined, true).tokens.token()
    expect(far.tokens).to.have.length(2)
  })

  it('that a key is not given any more are a fault of who gave it, and asked for once', async () => {
    const token = () => ({ status: 400, body: { error: 'invalid_grant', error_description: 'Invalid JWT Signature.' } })
    const ask = await answering(undefined, { token })
    expect(await fails(ask())).to.equal('user_action credentials_refused')
    expect([far.tokens.length, far.asked]).to.deep.equal([1, []])
  })

  it('that cannot be had for a while are asked for again', async () => {
    let times = 0
    const token = (): Answer =>
      ++times < 3 ? { status: 503, body: {} } : { body: { access_token: 'late', expires_in: 3600 } }
    const ask = await answering(undefined, { token })
    await ask()
    expect([times, far.questions[0]?.token]).to.deep.equal([3, 'late'])
  })

  it('of a workload identity pool are given for a token of this installation, of the organization alone', async () => {
    const ask = await answering()
    const { options } = far
    far.options = { ...options, subjectToken: async (orgId, of) => `own ${orgId} ${of}` }
    await ask(federated)
    const [exchange, generate] = far.tokens as [Question, Question]
    expect([exchange.path, generate.path]).to.deep.equal([
      '/v1/token',
      `/v1/projects/-/serviceAccounts/${email}:generateAccessToken`,
    ])
    expect(exchange.body).to.deep.equal({
      grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
      audience,
      scope: 'https://www.googleapis.com/auth/cloud-platform',
      requested_token_type: 'urn:ietf:params:oauth:token-type:access_token',
      subject_token: `own org-1 ${audience}`,
      subject_token_type: 'urn:ietf:params:oauth:token-type:jwt',
    })
    expect(generate.body).to.deep.equal({
      scope: ['https://www.googleapis.com/auth/cloud-platform'],
      lifetime: '3600s',
    })
    expect(generate.token).to.not.equal(far.questions[0]?.token)
    expect(await fails(ask({ ...federated, orgId: 'org-2' }))).to.equal('nothing')
    expect(far.tokens[2]?.body.subject_token).to.equal(`own org-2 ${audience}`)
  })

  it('of a pool are those of the pool itself where no service account is named', async () => {
    const ask = await answering()
    far.options = { ...far.options, subjectToken: async () => 'own' }
    const { service_account_impersonation_url: _, ...alone } = federated.credentials.workloadIdentity
    await ask({ ...federated, credentials: { workloadIdentity: alone } })
    expect(far.tokens.map(({ path }) => path)).to.deep.equal(['/v1/token'])
    expect(far.questions[0]?.token).to.match(/^t\d+$/)
  })

  it('that the service account may not be impersonated for are a fault that says who refuses', async () => {
    const token = ({ path }: Question): Answer =>
      path.endsWith(':generateAccessToken')
        ? refusing(403, 'PERMISSION_DENIED', "Permission 'iam.serviceAccounts.getAccessToken' denied on resource")
        : { body: { access_token: 'pool', expires_in: 3600 } }
    const ask = await answering(undefined, { token })
    far.options = { ...far.options, subjectToken: async () => 'own' }
    const error = await ask(federated).catch((thrown: unknown) => thrown)
    expect((error as Error).message)
      .to.include('iamcredentials')
      .and.to.include('iam.serviceAccounts.getAccessToken')
    expect(await fails(ask(federated))).to.equal('user_action credentials_refused')
    expect(far.tokens.map(({ token: sent }) => sent)).to.deep.equal(['', 'pool', '', 'pool'])
  })

  for (const [what, body, wanted] of [
    ['no token', {}, 'system unknown_answer'],
    ['a token that is no text', { access_token: 7, expires_in: 3600 }, 'system unknown_answer'],
    ['a token that breaks a header', { access_token: 'a\r\nx: y', expires_in: 3600 }, 'system unknown_answer'],
    ['a page of a proxy', '<html></html>', 'system unknown_answer'],
    ['a list', '[]', 'system unknown_answer'],
  ] as const)
    it(`are none where Google answers with ${what}, and nothing is asked without`, async () => {
      const ask = await answering(undefined, { token: () => ({ body }) })
      expect(await fails(ask())).to.equal(wanted)
      expect(far.asked).to.deep.equal([])
    })

  it('that Google asks to wait for are a fault that says how long', async () => {
    const token = (): Answer => ({ status: 429, headers: { 'retry-after': '9' }, body: {} })
    const ask = await answering(undefined, { token, rules: { tries: 1 } })
    const error = await ask().catch((thrown: unknown) => thrown)
    expect((error as Fault).detail).to.deep.include({ bucket: 'transient', retryAfterMs: 9000 })
    expect(far.tokens).to.have.length(1)
  })

  it('of two accounts at once are never mixed up', async () => {
    const ask = await answering(undefined, {
      token: ({ body }) => {
        const [, claims] = (body.assertion as string).split('.')
        const { iss } = JSON.parse(Buffer.from(claims!, 'base64url').toString()) as { iss: string }
        return { body: { access_token: `for-${iss.split('@')[0]}`, expires_in: 3600 } }
      },
    })
    const of = (name: string): CloudAccount => ({
      ...account,
      id: name,
      credentials: { serviceAccount: { ...serviceAccount, client_email: `${name}@shop-prod.iam.gserviceaccount.com` } },
    })
    await Promise.all(['one', 'two', 'one', 'two'].map((name) => ask(of(name))))
    expect(far.questions.map(({ token }) => token).toSorted()).to.deep.equal([
      'for-one',
      'for-one',
      'for-two',
      'for-two',
    ])
    expect(far.tokens).to.have.length(2)
  })

  it('come of nothing that the environment of this process names', async () => {
    const before = { ...process.env }
    Object.assign(process.env, {
      GOOGLE_APPLICATION_CREDENTIALS: '/etc/passwd',
      GOOGLE_CLOUD_UNIVERSE_DOMAIN: 'evil.example',
      GCE_METADATA_HOST: 'evil.example',
      HTTPS_PROXY: 'http://evil.example:1',
      HTTP_PROXY: 'http://evil.example:1',
    })
    try {
      const ask = await answering()
      await ask()
      expect([far.tokens.length, far.asked.length]).to.deep.equal([1, 1])
    } finally {
      for (const name of Object.keys(process.env)) if (!(name in before)) delete process.env[name]
      Object.assign(process.env, before)
    }
  })

  it('of a pool cannot be had where this installation has none of its own', async () => {
    const ask = await answering()
    expect(await fails(ask(federated))).to.equal('user_action credentials_refused')
    expect(far.tokens).to.deep.equal([])
  })

  it('are those of the service account of the machine, for the one organization that may use it', async () => {
    const metadata = '/computeMetadata/v1/instance/service-accounts/default/token'
    const headers = { 'metadata-flavor': 'Google' }
    await answering(({ path }) =>
      path === metadata
        ? { headers, body: { access_token: 'attached', expires_in: 3599, token_type: 'Bearer' } }
        : { body: { name: 'web', status: 'RUNNING' } },
    )
    const attached = { ...account, credentials: { attachedIdentity: true } }
    const options = { ...far.options, attachedOrg: account.orgId }
    await look(options, attached, machine)
    await look(options, attached, machine)
    const [first, ...others] = far.questions
    expect([first!.path, first!.headers['metadata-flavor'], first!.token]).to.deep.equal([metadata, 'Google', ''])
    expect(others.map(({ token }) => token)).to.deep.equal(['attached', 'attached'])
    expect(far.tokens).to.deep.equal([])
    for (const refused of [
      look(far.options, { ...attached, id: 'acct-2' }, machine),
      look(options, { ...attached, orgId: 'org-2' }, machine),
    ])
      expect(await fails(refused)).to.equal('user_action credentials_refused')
    expect(far.questions.length).to.equal(3)
  })

  it('are of no machine whose service does not name itself as that of Google', async () => {
    await answering(() => ({ body: { access_token: 'other', expires_in: 3599 } }))
    const attached = { ...account, credentials: { attachedIdentity: true } }
    expect(await fails(look({ ...far.options, attachedOrg: account.orgId }, attached, machine))).to.equal(
      'system unknown_answer',
    )
  })
})
