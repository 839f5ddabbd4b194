import { expect } from 'chai'
import { databaseWork } from '#actors/catalog/database/database-call.ts'
import { mailWork } from '#actors/catalog/mail.ts'
import { provisionWork } from '#actors/catalog/job/provision.ts'
import { freshSteps } from '#actors/catalog/job/step.ts'
import { Fault } from '#engine/value/fault.ts'
import { cloudFault, type CloudAccount } from '#streams/cloud/connector.ts'
import {
  provisioningKinds,
  type DatabaseRequest,
  type ProvisionAnswer,
  type ProvisionRequest,
} from '#streams/cloud/provision.ts'

const jobId = '6b0f6f0e-1e4a-4a36-9a43-0f9f2b9f6a01'
const input = { cloudAccountId: 'acct-1', jobId, step: 'secret', attempt: 1, call: 'secret/1/6' }
const call = { key: 'provision/o1/x', orgId: 'o1', attempt: 1, signal: new AbortController().signal }
const planted = 'planted-hunter2'

const account = {
  name: 'A',
  external_id: '1',
  regions: [],
  credentials: null,
  billing_export: null,
  status: 'connected',
}
const steps = freshSteps('datastore').map((step) =>
  step.name === 'instance' ? { ...step, output: { host: 'db.example' } } : step,
)
const jobRow = {
  kind: 'datastore',
  region: 'us-east-1',
  config: { engine: 'postgres' },
  tags: { team: 'shop' },
  steps,
  secrets: null as string | null,
  provider: 'aws',
  clusterUid: null,
  isUndo: false,
  spaceStatus: 'active' as string | null,
  ...account,
}

/** A process with one row and one cloud; what it said, and whatever it wrote down. */
function process(row: object | undefined, cloud: object, told: () => void = () => {}) {
  const said: any[] = []
  const written: string[] = []
  const note = (...about: unknown[]) => void written.push(about.map((one) => JSON.stringify(one)).join(' '))
  const tools = {
    reads: { rows: async () => (row ? [row] : []) },
    publisher: { report: async ({ data }: { data: object }) => void said.push(data), publish: async () => told() },
    cloudOf: () => ({ provisions: provisioningKinds, ...cloud }),
    clock: {
      now: () => 0,
      sleep: (_: number, signal?: AbortSignal) =>
        new Promise<void>((resolve) => signal?.addEventListener('abort', () => resolve())),
    },
    now: () => new Date(0),
    publicUrl: () => 'https://tidemark.example',
    open: (_column: unknown, _org: string, sealed: string) =>
      JSON.parse(Buffer.from(sealed, 'hex').toString()) as unknown,
    seal: (_column: unknown, _org: string, secret: unknown) => Buffer.from(JSON.stringify(secret)).toString('hex'),
    report: { info: note, warn: note, error: note },
  } as never
  return { tools, said, written }
}

const step = async (row: object | undefined, answer: ProvisionAnswer | Error) => {
  const asked: ProvisionRequest[] = []
  const provision = async (_: CloudAccount, request: ProvisionRequest) => {
    asked.push(request)
    if (answer instanceof Error) throw answer
    return answer
  }
  const made = process(row, { provision, unprovision: provision })
  await provisionWork(made.tools).run(input, call)
  return { ...made, asked }
}

describe('the call for a step', () => {
  it('asks with what the steps before told, under a token that is the same for every try, and seals what is secret', async () => {
    const answer: ProvisionAnswer = {
      status: 'done',
      output: { user: 'admin', port: 5432 },
      secrets: { admin: planted },
    }
    const before = Buffer.from(JSON.stringify({ older: 'x' })).toString('hex')
    const { asked, said } = await step({ ...jobRow, secrets: before }, answer)
    const [other] = (await step(jobRow, answer)).asked
    expect(asked).to.deep.equal([
      {
        jobId,
        kind: 'datastore',
        step: 'secret',
        region: 'us-east-1',
        clusterUid: null,
        config: { engine: 'postgres' },
        tags: { team: 'shop' },
        outputs: { instance: { host: 'db.example' } },
        token: other!.token,
      },
    ])
    expect(other!.token).to.match(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/)
    const [{ secrets, ...shown }] = said
    expect(shown).to.deep.equal({
      ...input,
      status: 'done',
      output: { user: 'admin', port: 5432, secretRef: `secret://${jobId}/admin` },
    })
    expect(JSON.parse(Buffer.from(secrets, 'hex').toString())).to.deep.equal({ older: 'x', admin: planted })
    expect(JSON.stringify(said)).not.to.contain(planted)
  })

  it('of a component comes with its objects, for the cluster that it is installed into [PROV-20]', async () => {
    const clusterUid = 'arn:aws:eks:us-east-1:123456789012:cluster/shop'
    const config = { componentID: 'cluster-autoscaler', values: {} }
    const { asked } = await step({ ...jobRow, kind: 'component', config, clusterUid }, { status: 'done' })
    const { objects = [] } = asked[0]!
    expect(objects.map(({ kind }) => kind)).to.deep.equal([
      'ServiceAccount',
      'ClusterRole',
      'ClusterRoleBinding',
      'Role',
      'RoleBinding',
      'Deployment',
    ])
    expect(JSON.stringify(objects)).to.contain('k8s.io/cluster-autoscaler/shop')
    const gone = await step(
      { ...jobRow, kind: 'component', config: { componentID: 'gone', values: {} } },
      { status: 'done' },
    )
    expect(gone.asked[0]).to.not.have.property('objects')
  })

  it('is not made where nobody waits for it any more', async () => {
    const { asked, said } = await step(undefined, { status: 'done' })
    expect([asked, said]).to.deep.equal([[], []])
  })

  it('says of an account that is disabled what to do about it, and asks nobody [PROV-31]', async () => {
    const { asked, said } = await step({ ...jobRow, status: 'disabled' }, { status: 'done' })
    expect([asked, said[0].failure]).to.deep.equal([
      [],
      {
        bucket: 'user_action',
        code: 'account_unavailable',
        message: 'The cloud account is disabled or no longer exists.',
        fixHint: 'Enable or reconnect the account, then retry.',
        consoleUrl: 'https://tidemark.example/cloud-accounts/acct-1',
      },
    ])
  })

  it('says in which bucket an error is: what was not thrown on purpose is ours, and noted [PROV-30] [PROV-33]', async () => {
    const hint = { fixHint: 'Ask.', consoleUrl: 'https://console.example.com/' }
    const failed = async (error: Error) => {
      const { said, written } = await step(jobRow, error)
      return [said[0].failure, written.length]
    }
    expect(await failed(cloudFault('user_action', 'quota_exceeded', 'Too many.', hint))).to.deep.equal([
      { bucket: 'user_action', code: 'quota_exceeded', message: 'Too many.', ...hint },
      0,
    ])
    expect((await failed(cloudFault('user_action', 'refused', 'No.')))[0]).to.deep.equal({
      bucket: 'user_action',
      code: 'refused',
      message: 'No.',
      fixHint: 'Fix the problem in the cloud as the message says, then retry.',
      consoleUrl: 'https://console.aws.amazon.com/',
    })
    expect(await failed(cloudFault('transient', 'throttled', 'Later.'))).to.deep.equal([
      { bucket: 'transient', code: 'throttled', message: 'Later.' },
      0,
    ])
    expect(await failed(Fault.transient('no_answer', 'The cloud did not answer within 60 seconds.'))).to.deep.equal([
      { bucket: 'transient', code: 'no_answer', message: 'The cloud did not answer within 60 seconds.' },
      0,
    ])
    const [failure, noted] = await failed(new TypeError(`cannot read ${planted}`))
    expect([(failure as { bucket: string }).bucket, noted]).to.deep.equal(['system', 1])
    expect(JSON.stringify(failure)).not.to.contain(planted)
  })

  it('says of what people have to mend where to, also where the cloud does not [PROV-31]', async () => {
    const at = async (provider: string, code: string) => {
      const { said } = await step({ ...jobRow, provider }, cloudFault('user_action', code, 'No.'))
      return said[0].failure.consoleUrl
    }
    expect([
      await at('gcp', 'access_denied'),
      await at('azure', 'access_denied'),
      await at('aws', 'credentials_refused'),
    ]).to.deep.equal([
      'https://console.cloud.google.com/',
      'https://portal.azure.com/',
      'https://tidemark.example/cloud-accounts/acct-1',
    ])
  })

  it('says that credentials are refused also where the account cannot be told of it', async () => {
    const provision = async () => {
      throw cloudFault('user_action', 'credentials_refused', 'No.')
    }
    const made = process(jobRow, { provision }, () => {
      throw Fault.transient('unavailable', 'The log is away.')
    })
    await provisionWork(made.tools).run(input, call)
    expect(made.said[0].failure).to.include({ bucket: 'user_action', code: 'credentials_refused' })
  })

  it('begins nothing in a space that was removed or disabled while the job was made [G-25]', async () => {
    const tried = async (spaceStatus: string | null, name: string, isUndo = false) => {
      const asked: string[] = []
      const ask = async (_: CloudAccount, request: ProvisionRequest) => {
        asked.push(request.step)
        return { status: 'done' as const }
      }
      const made = process({ ...jobRow, spaceStatus, isUndo }, { provision: ask, unprovision: ask })
      await provisionWork(made.tools).run({ ...input, step: name }, call)
      return [asked, made.said[0].failure]
    }
    const failure = {
      bucket: 'user_action',
      code: 'space_unavailable',
      message: 'The space is disabled or no longer exists.',
      fixHint: 'Enable the space and retry, or delete the job.',
      consoleUrl: 'https://tidemark.example/spaces',
    }
    expect(await tried('disabled', 'validate')).to.deep.equal([[], failure])
    expect(await tried(null, 'validate')).to.deep.equal([[], failure])
    expect(await tried('active', 'validate')).to.deep.equal([['validate'], undefined])
    // What has begun stays, and may be taken away.
    expect(await tried('disabled', 'instance')).to.deep.equal([['instance'], undefined])
    expect(await tried(null, 'instance', true)).to.deep.equal([['instance'], undefined])
  })

  it('says in texts alone what a cloud says, whatever it is cut to, and takes nothing for text that is none', async () => {
    const { said } = await step(jobRow, cloudFault('user_action', 'refused', `${'x'.repeat(1999)}\u{1f600}\0`))
    const { message } = said[0].failure
    expect([message.length, message.isWellFormed(), message.at(-1)]).to.deep.equal([2000, true, '\ufffd'])
    for (const output of [{ a: 'b\0' }, { a: { b: ['\ud83d'] } }, { 'c\0': 1 }]) {
      const unclean = await step(jobRow, { status: 'done', output })
      expect(unclean.said[0].failure, JSON.stringify(output)).to.include({ bucket: 'system', code: 'output_unclean' })
    }
    const clean = await step(jobRow, { status: 'done', output: { a: '\u{1f600} \\u0000', b: null, c: [1] } })
    expect(clean.said[0].status).to.equal('done')
  })

  it('asks a cloud for nothing that it does not offer [PROV-33]', async () => {
    const made = process(jobRow, { provisions: ['registry'], provision: () => expect.fail('it was asked') })
    await provisionWork(made.tools).run(input, call)
    expect(made.said[0].failure).to.deep.equal({
      bucket: 'system',
      code: 'unsupported_provisioning',
      message: 'Provisioning of datastore is not supported for this cloud yet.',
    })
  })

  it('keeps what tells a secret, or too much, to itself', async () => {
    const telling = await step(jobRow, {
      status: 'done',
      output: { url: `postgres://admin:${planted}@db` },
      secrets: { admin: planted },
    })
    expect(telling.said[0].failure).to.include({ bucket: 'system', code: 'secret_in_output' })
    expect(JSON.stringify([telling.said, telling.written])).not.to.contain(planted)
    const long = await step(jobRow, { status: 'done', output: { text: 'x'.repeat(16 * 1024) } })
    expect(long.said[0].failure).to.include({ bucket: 'system', code: 'output_too_large' })
    const fits = await step(jobRow, { status: 'done', output: { text: 'x'.repeat(16 * 1024 - 11) } })
    expect(fits.said[0].status).to.equal('done')
  })

  it('undoes where the job is being deleted', async () => {
    const made = process(
      { ...jobRow, isUndo: true },
      { unprovision: async () => ({ status: 'waiting' }), provision: () => expect.fail() },
    )
    await provisionWork(made.tools).run(input, call)
    expect(made.said).to.deep.equal([{ ...input, status: 'waiting' }])
  })
})

describe('the call for a database', () => {
  const databaseInput = { cloudAccountId: 'acct-1', jobId, databaseId: 'db-1', call: 'creating/1' }
  const row = {
    ...account,
    name: 'shop',
    owner: 'shop_app',
    status: 'creating',
    region: 'us-east-1',
    provider: 'aws',
    steps,
    accountName: 'A',
    accountStatus: 'connected',
    engine: null,
    secrets: null,
  }

  it('tells the cloud how to connect to the server, with the password of its administrator [PROV-08]', async () => {
    const asked: DatabaseRequest[] = []
    const createDatabase = async (_: CloudAccount, request: DatabaseRequest) => {
      asked.push(request)
      return { secrets: {} }
    }
    const secrets = Buffer.from(JSON.stringify({ admin: planted })).toString('hex')
    const made = process({ ...row, engine: 'postgres', secrets }, { createDatabase })
    await databaseWork(made.tools).run(databaseInput, call)
    const [{ token, ...request }] = asked as [DatabaseRequest]
    expect(request).to.deep.equal({
      jobId,
      databaseId: 'db-1',
      region: 'us-east-1',
      name: 'shop',
      owner: 'shop_app',
      engine: 'postgres',
      outputs: { instance: { host: 'db.example' } },
      password: planted,
    })
    expect(token).to.match(/^[0-9a-f-]{36}$/)
    expect(JSON.stringify([made.said, made.written])).not.to.contain(planted)
  })

  it('tells of the password of its owner by name alone [PROV-10]', async () => {
    const made = process(row, { createDatabase: async () => ({ secrets: { shop_app: planted } }) })
    await databaseWork(made.tools).run(databaseInput, call)
    const [{ secret, ...shown }] = made.said
    expect(shown).to.deep.equal({ ...databaseInput, status: 'done', secretRef: `secret://${jobId}/shop_app` })
    expect(JSON.parse(Buffer.from(secret, 'hex').toString())).to.deep.equal({ shop_app: planted })
    expect(JSON.stringify([made.said, made.written])).not.to.contain(planted)
  })

  it('is tried again where the cloud is busy, and said to have failed where that does not help [PROV-32]', async () => {
    const createDatabase = async () => {
      throw cloudFault('transient', 'throttled', 'Later.')
    }
    const { tools, said } = process(row, { createDatabase })
    const work = databaseWork(tools)
    const error = await work.run(databaseInput, call).catch((thrown: unknown) => thrown)
    expect([error, said]).to.satisfy(([fault, told]: [Fault, unknown[]]) => fault.retryable && told.length === 0)
    await work.run(databaseInput, { ...call, attempt: 6 })
    expect(said[0].failure).to.deep.equal({ bucket: 'transient', code: 'throttled', message: 'Later.' })
  })

  it('is tried twelve times where it is our stores that are away', async () => {
    const made = process(row, { dropDatabase: async () => {} })
    const reads = { rows: () => Promise.reject(new Error('away')) }
    const work = databaseWork(Object.assign({}, made.tools as object, { reads }) as never)
    const error = await work.run(databaseInput, { ...call, attempt: 11 }).catch((thrown: unknown) => thrown)
    expect([work.retry.tries, (error as Fault).code, made.said]).to.deep.equal([12, 'unavailable', []])
  })

  it('drops what is being deleted, and says at once what people have to mend', async () => {
    const dropped: string[] = []
    const made = process(
      { ...row, status: 'deleting' },
      { dropDatabase: async (_: unknown, { name }: any) => void dropped.push(name) },
    )
    await databaseWork(made.tools).run(databaseInput, call)
    expect([dropped, made.said]).to.deep.equal([['shop'], [{ ...databaseInput, status: 'done' }]])
    const dropDatabase = async () => {
      throw cloudFault('user_action', 'access_denied', 'No.')
    }
    const refused = process({ ...row, status: 'deleting' }, { dropDatabase })
    await databaseWork(refused.tools).run(databaseInput, call)
    expect(refused.said[0]).to.deep.include({ status: 'failed' })
  })
})

describe('the mail about a job', () => {
  const mailRow = {
    email: 'ana@example.com',
    organization: 'Shop',
    account: 'Production',
    kind: 'datastore',
    name: 'orders <b>\r\nBcc: x',
    region: 'us-east-1',
    phase: 'failed',
    error: { bucket: 'system', message: 'Not known.', retryable: false, stepName: 'create' },
    expiresAt: new Date('2030-01-02T00:00:00Z'),
  }
  const sent = async (template: string, notifyProvisioning: boolean, fields: object = {}) => {
    const mails: any[] = []
    const tools = {
      ...(process({ ...mailRow, ...fields }, {}).tools as object),
      now: () => new Date('2030-01-01T00:00:00Z'),
      channels: { email: { send: async (mail: object) => void mails.push(mail) } },
      publicUrl: () => 'https://tidemark.example',
      notifyProvisioning,
    } as never
    await mailWork(tools).run({ cloudAccountId: 'acct-1', jobId, template, userId: 'u-1' }, call)
    return mails
  }

  it('that it failed for a fault of ours is sent only where that is asked for; that it will be deleted always', async () => {
    expect(await sent('provisioning.failed', false)).to.deep.equal([])
    const [failed] = await sent('provisioning.failed', true)
    expect(failed).to.deep.include({
      to: 'ana@example.com',
      subject: 'Provisioning datastore orders <b> Bcc: x failed',
      headers: { 'X-Tidemark-Template': 'provisioning.failed' },
    })
    expect(failed.text).to.contain('Step create failed: Not known.')
    expect(failed.html).to.contain('orders &lt;b&gt; Bcc: x')
    const [expiring] = await sent('provisioning.expiring', false, { phase: 'ready' })
    expect(expiring.text).to.contain('will be deleted at 2030-01-02T00:00:00.000Z')
  })

  it('is not sent where it is not so any more', async () => {
    const later = new Date('2030-01-03T00:00:00Z')
    for (const fields of [
      { phase: 'deleting' },
      { phase: 'deleted' },
      { phase: 'ready', expiresAt: null },
      { phase: 'ready', expiresAt: later },
    ])
      expect(await sent('provisioning.expiring', false, fields), JSON.stringify(fields)).to.deep.equal([])
    expect(await sent('provisioning.failed', true, { phase: 'ready' })).to.deep.equal([])
    expect(await sent('provisioning.failed', true, { phase: 'delete_failed' })).to.have.length(1)
  })
})
