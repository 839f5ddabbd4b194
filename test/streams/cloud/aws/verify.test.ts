import { expect } from 'chai'
import { listedTypes } from '#streams/cloud/aws/discover/listed/index.ts'
import { openAws } from '#streams/cloud/aws/session/open.ts'
import { policyDocument } from '#streams/cloud/aws/permission/policy.ts'
import { awsPermissions } from '#streams/cloud/aws/permission/permissions.ts'
import { verifyAws } from '#streams/cloud/aws/permission/verify/verify.ts'
import { Caller } from '#streams/cloud/call/call.ts'
import { cloudFault, type CloudAccount, type Verification } from '#streams/cloud/connector.ts'
import { permissions, requiredPermissions } from '#streams/cloud/permission/permission.ts'
import { VirtualClock } from '#test/streams/cloud/virtual-clock.ts'
import { account, awsError, stubOf, type Answer, type Question, type Stub } from './stub.ts'

const reads = new Set(awsPermissions.filter(({ access }) => access === 'read').flatMap(({ names }) => names))
const all = new Set(awsPermissions.flatMap(({ names }) => names))

const verdict = (stub: Stub, of: CloudAccount = account): Promise<Verification> => verifyAws({ open: stub.open })(of)

const identity = { Account: account.externalId, Arn: 'arn:aws:sts::123456789012:assumed-role/tidemark/tidemark' }

/** IAM says what the role may; it is the same of all resources. */
const simulating =
  (may: (name: string) => boolean): Answer =>
  ({ operation, input }) => {
    if (operation === 'GetCallerIdentity') return identity
    if (operation !== 'SimulatePrincipalPolicy') throw new Error(`${operation} is not to be asked`)
    return {
      EvaluationResults: input.ActionNames.map((EvalActionName: string) => ({
        EvalActionName,
        EvalDecision: may(EvalActionName) ? 'allowed' : 'implicitDeny',
      })),
    }
  }

/** IAM does not say: what is asked is allowed, or not. Machines are rehearsed with. */
const denying =
  (isDenied: (question: Question) => boolean): Answer =>
  (question) => {
    if (question.operation === 'GetCallerIdentity') return identity
    if (question.operation === 'SimulatePrincipalPolicy') throw awsError('AccessDenied', 403)
    if (isDenied(question))
      throw awsError(question.service === 'ec2' ? 'UnauthorizedOperation' : 'AccessDeniedException', 403)
    if (question.input.DryRun) throw awsError('DryRunOperation', 412)
    return {}
  }

const stateIn = ({ permissions: of }: Verification, name: string) => of?.find((one) => one.name === name)?.state

describe('what a role of AWS is good for', () => {
  it('is read_write where IAM says that all is allowed, permission by permission', async () => {
    const found = await verdict(stubOf(simulating(() => true)))
    expect({ ...found, permissions: undefined }).to.deep.equal({
      verdict: 'read_write',
      missingPermissions: [],
      permissions: undefined,
    })
    const names = found.permissions!.map(({ name }) => name)
    // The bucket of bills is nobody's here.
    expect(names.toSorted()).to.deep.equal(
      [...all].filter((name) => !/^s3:(ListBucket|GetObject)$/.test(name)).toSorted(),
    )
    expect(found.permissions!.every(({ state }) => state === 'granted')).to.equal(true)
  })

  it('is read_only, and whole, of a role that was given the policy for reading', async () => {
    const granted = new Set(policyDocument('aws').Statement.flatMap(({ Action }) => Action))
    const found = await verdict(stubOf(simulating((name) => granted.has(name))))
    expect([found.verdict, found.missingPermissions, found.message]).to.deep.equal(['read_only', [], undefined])
    expect(stateIn(found, 'ec2:StopInstances')).to.equal('missing')
  })

  it('names what is missing of reading, and of writing where some of it is allowed', async () => {
    const lacking = ['ec2:StopInstances', 'rds:DescribeDBInstances']
    const found = await verdict(stubOf(simulating((name) => !lacking.includes(name))))
    // Not read_write: machines could be started and not stopped.
    expect([found.verdict, found.missingPermissions]).to.deep.equal(['read_only', lacking])
    expect(found.message).to.contain('is missing 2 permissions')
    const others = ['rds:StopDBInstance', 'ec2:DeleteVolume']
    const switching = await verdict(stubOf(simulating((name) => !others.includes(name))))
    expect([switching.verdict, switching.missingPermissions]).to.deep.equal(['read_write', others.toSorted()])
    const reader = await verdict(stubOf(simulating((name) => reads.has(name) && !lacking.includes(name))))
    expect([reader.verdict, reader.missingPermissions]).to.deep.equal(['read_only', ['rds:DescribeDBInstances']])
  })

  it('is read_only of a role that may look at everything', async () => {
    const found = await verdict(
      stubOf(
        simulating((name) => /:(Describe|Get|GET|List|LookupEvents|Simulate|View|GenerateCredentialReport)/.test(name)),
      ),
    )
    expect([found.verdict, found.missingPermissions]).to.deep.equal(['read_only', []])
  })

  it('asks IAM about what a permission is of, by names and never by patterns', async () => {
    const stub = stubOf(simulating(() => true))
    await verdict(stub, { ...account, billingExport: { kind: 'cur', location: 's3://shop-bills/cur' } })
    const asked = stub.asked.filter(({ operation }) => operation === 'SimulatePrincipalPolicy')
    const resourcesOf = (name: string) =>
      asked.find(({ input }) => input.ActionNames.includes(name))?.input.ResourceArns
    expect(resourcesOf('ec2:StopInstances')).to.equal(undefined)
    expect(resourcesOf('iam:PassRole')).to.deep.equal(['arn:aws:iam::123456789012:role/tidemark-check'])
    expect(resourcesOf('lambda:CreateFunction')).to.deep.equal([
      'arn:aws:lambda:us-east-1:123456789012:function:tidemark-check',
    ])
    expect(resourcesOf('s3:GetObject')).to.deep.equal(['arn:aws:s3:::shop-bills', 'arn:aws:s3:::shop-bills/-check'])
    expect(asked.every(({ input }) => input.PolicySourceArn === 'arn:aws:iam::123456789012:role/tidemark')).to.equal(
      true,
    )
    expect(JSON.stringify(asked)).to.not.match(/\*|YOUR/)
  })

  it('is found by trying where IAM may not be asked: reads, and rehearsed writes; the rest is unknown', async () => {
    const found = await verdict(stubOf(denying(({ operation }) => operation === 'DescribeVolumes')))
    expect([found.verdict, found.missingPermissions]).to.deep.equal(['read_write', ['ec2:DescribeVolumes']])
    expect(
      ['ec2:DescribeInstances', 'ec2:StopInstances', 'rds:StopDBInstance'].map((name) => stateIn(found, name)),
    ).to.deep.equal(['granted', 'granted', 'unknown'])
    const reader = await verdict(stubOf(denying(({ input }) => input.DryRun === true)))
    expect([reader.verdict, reader.missingPermissions]).to.deep.equal(['read_only', []])
  })

  it('leaves unknown of what is read only what costs money or says nothing, where IAM may not be asked', async () => {
    const { permissions = [] } = await verdict(stubOf(denying(() => false)))
    // What lists types that are declared is found out by the first scan.
    const declared = new Set(listedTypes.flatMap((one) => one.permissions))
    const unknown = permissions.filter(
      ({ access, name, state }) => access === 'read' && state === 'unknown' && !declared.has(name),
    )
    expect(unknown.map(({ name }) => name).toSorted()).to.deep.equal([
      'ce:GetCostAndUsage',
      'iam:SimulatePrincipalPolicy',
      's3:GetBucketLocation',
      's3:GetBucketPolicy',
      's3:GetBucketPolicyStatus',
      's3:GetBucketTagging',
      's3:GetBucketVersioning',
      's3:GetEncryptionConfiguration',
      's3:GetLifecycleConfiguration',
    ])
  })

  it('changes nothing while it tries: what would write is rehearsed', async () => {
    const stub = stubOf(denying(() => false))
    await verdict(stub)
    const writing = stub.asked.filter(({ operation }) => !/^(Describe|List|LookupEvents|Get|Simulate)/.test(operation))
    expect(writing.length).to.be.above(5)
    expect(writing.filter(({ input }) => input.DryRun !== true)).to.deep.equal([])
  })

  it('takes what is not there for allowed: whoever may not ask is not told so', async () => {
    const stub = stubOf((question) => {
      if (question.operation === 'DescribeTable') throw awsError('ResourceNotFoundException')
      if (question.input.DryRun) throw awsError('InvalidInstanceID.NotFound')
      return denying(() => false)(question)
    })
    const found = await verdict(stub)
    expect([stateIn(found, 'dynamodb:DescribeTable'), stateIn(found, 'ec2:StopInstances')]).to.deep.equal([
      'granted',
      'granted',
    ])
  })

  it('is none where nothing is allowed, with what to do', async () => {
    const found = await verdict(stubOf(denying(() => true)))
    expect(found.verdict).to.equal('none')
    expect(found.missingPermissions).to.include('ec2:DescribeInstances')
    expect(found.message).to.contain('tidemark account policy aws')
  })

  it('is none of a role of another account: nobody sees somebody else’s', async () => {
    const found = await verdict(stubOf(() => ({ Account: '999999999999' })))
    expect(found).to.deep.equal({
      verdict: 'none',
      missingPermissions: [],
      message:
        'The role belongs to account 999999999999, not to 123456789012. Use the ARN of a role in 123456789012, or connect 999999999999 instead.',
    })
  })

  it('is none of credentials that AWS does not take, and of none at all, with what to do; the session is closed', async () => {
    for (const code of ['ExpiredToken', 'InvalidClientTokenId', 'SignatureDoesNotMatch']) {
      const stub = stubOf(() => {
        throw awsError(code, 403)
      })
      const found = await verdict(stub)
      expect([found.verdict, found.missingPermissions, stub.closed], code).to.deep.equal(['none', [], 1])
      expect(found.message, code).to.contain('Check the role and its trust policy')
    }
    const bare = await verifyAws({
      open: () => {
        throw cloudFault('user_action', 'credentials_refused', 'The account has no role.', { fixHint: 'Give it one.' })
      },
    })(account)
    expect(bare).to.deep.equal({
      verdict: 'none',
      missingPermissions: [],
      message: 'The account has no role. Give it one.',
    })
  })

  it('is none where this installation has no credentials to assume a role with, and says where they are to be given', async () => {
    const clock = new VirtualClock()
    const caller = new Caller({ clock, meter: { made: () => {} }, random: () => 0 })
    const base = async () => {
      throw Object.assign(new Error('Could not load credentials from any providers'), {
        name: 'CredentialsProviderError',
      })
    }
    // Nobody is asked: it does not come that far.
    const options = { caller, base, endpoint: 'http://127.0.0.1:9' }
    const found = await verifyAws({ open: (of) => openAws(of, options) })(account)
    expect([found.verdict, found.missingPermissions]).to.deep.equal(['none', []])
    expect(found.message).to.match(/has no AWS credentials to assume roles with\. .* AWS_ACCESS_KEY_ID/)
  })

  it('is nothing while AWS is out of reach', async () => {
    const stub = stubOf(() => {
      throw awsError('ServiceUnavailable', 503)
    })
    const fault = await verdict(stub).catch((error: unknown) => error)
    expect(fault).to.deep.include({ code: 'cloud_unavailable', kind: 'transient' })
    const silent = await verdict(
      stubOf((question) => {
        if (question.operation === 'GetCallerIdentity') return identity
        throw awsError('ServiceUnavailable', 503)
      }),
    )
    expect([silent.verdict, silent.missingPermissions]).to.deep.equal(['unknown', []])
  })
})

describe('the policy for the role of an account of AWS', () => {
  const named = (write: boolean) => new Set(policyDocument('aws', { write }).Statement.flatMap(({ Action }) => Action))

  it('is what the table of permissions says, no more and no less', () => {
    expect([...named(false)].toSorted()).to.deep.equal([...reads].toSorted())
    // To stay within what IAM takes, at least four lists or descriptions of a service are put together.
    const starts = [...named(true)].filter((name) => name.endsWith('*')).map((name) => name.slice(0, -1))
    expect(starts.filter((start) => !/^[\w-]+:(Describe|List)$/.test(start))).to.deep.equal([])
    for (const start of starts)
      expect([...reads].filter((name) => name.startsWith(start)).length, start).to.be.at.least(4)
    const isIn = (name: string) => named(true).has(name) || starts.some((start) => name.startsWith(start))
    expect([...all].filter((name) => !isIn(name))).to.deep.equal([])
    expect([...named(true)].filter((name) => !name.endsWith('*') && !all.has(name))).to.deep.equal([])
    for (const name of requiredPermissions('aws', 'autoscaling')) expect(isIn(name), name).to.equal(true)
    expect(permissions.aws).to.equal(awsPermissions)
  })

  it('is one that IAM takes: within the 10,240 characters of an inline policy, with statements of their own names', () => {
    for (const write of [false, true]) {
      const document = policyDocument('aws', { write })
      expect(JSON.stringify(document).length).to.be.at.most(10_240)
      const sids = document.Statement.map(({ Sid }) => Sid)
      expect(new Set(sids).size).to.equal(sids.length)
      expect(sids.filter((sid) => !/^[A-Za-z0-9]+$/.test(sid))).to.deep.equal([])
      expect(document.Version).to.equal('2012-10-17')
    }
    expect(policyDocument('aws').Statement.map(({ Sid }) => Sid)).to.deep.equal([
      'TidemarkDiscoveryRead',
      'TidemarkBillsRead',
      'TidemarkBillsRead2',
      'TidemarkAutoscalingRead',
      'TidemarkActionsRead',
      'TidemarkProvisioningRead',
    ])
  })

  it('opens the bucket of the bill alone, and of roles and functions those that bear our name', () => {
    const { Statement } = policyDocument('aws', { write: true, bucket: 'shop-bills' })
    const resourcesOf = (name: string) =>
      Statement.filter(({ Action }) => Action.includes(name)).map(({ Resource }) => Resource)
    expect(resourcesOf('s3:GetObject')).to.deep.equal([['arn:aws:s3:::shop-bills', 'arn:aws:s3:::shop-bills/*']])
    expect(resourcesOf('iam:PassRole')).to.deep.equal([['arn:aws:iam::*:role/tidemark*']])
    expect(resourcesOf('lambda:CreateFunction')).to.deep.equal([['arn:aws:lambda:*:*:function:tidemark*']])
    expect(JSON.stringify(policyDocument('aws'))).to.contain('YOUR-BILLING-BUCKET')
  })
})
