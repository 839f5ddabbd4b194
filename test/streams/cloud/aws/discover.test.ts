import { expect } from 'chai'
import { discoverAws } from '#streams/cloud/aws/discover/discover.ts'
import { chains, globalFinders } from '#streams/cloud/aws/discover/index.ts'
import { listedTypes } from '#streams/cloud/aws/discover/listed/index.ts'
import { awsPermissions } from '#streams/cloud/aws/permission/permissions.ts'
import { permissionOf } from '#streams/cloud/aws/session/fault.ts'
import type { ScanCoverage } from '#streams/refresh.ts'
import { resourceTypes } from '#streams/cloud/resource/resource-type.ts'
import { amount } from '#test/harness/tier.ts'
import { account, awsError, stubOf, type Stub } from './stub.ts'
import {
  chances,
  everything,
  isPage,
  pageSize,
  regions,
  scanned,
  typesSeen,
  uidsIn,
  uidsOf,
  world,
  wronglyDeleted,
} from './world.ts'

/** Types that are looked for in each region: 22 of hand-written finders, 54 that are declared. */
const typesInRegion = 22 + 54
/** Types that are looked for once in an account: buckets, and those that are declared. */
const globalTypes = [
  'aws-s3-bucket',
  'aws-account',
  'aws-savings-plan',
  'aws-cloudfront',
  'aws-global-accelerator',
  'aws-route53-health-check',
  'aws-route53-zone',
  'aws-iam-user',
]
const globallySeen = (seen: readonly ScanCoverage[]): string[] =>
  seen.filter((part) => part.regions.length === 0).flatMap(({ types }) => types)

describe('discovery of an account of AWS', () => {
  it('finds all of it once, parents before children, every type seen in every region, and closes its session', async () => {
    const stub = stubOf(world)
    const { found, seen, missing, message, fault } = await scanned(stub)
    expect(uidsOf(found).toSorted()).to.deep.equal([...everything().keys()].toSorted())
    const places = new Map(uidsOf(found).map((uid, at) => [uid, at]))
    const early = found.filter(
      ({ parentUID, resourceUid }) => parentUID && places.get(parentUID)! > places.get(resourceUid)!,
    )
    expect(early).to.deep.equal([])
    expect(found.filter(({ parentUID }) => parentUID).length).to.equal(3 * (2 * 140 + 1))
    for (const region of regions) expect(typesSeen(seen, region).length, region).to.equal(typesInRegion)
    expect(globallySeen(seen).toSorted()).to.deep.equal(globalTypes.toSorted())
    expect({ missing, message, fault, closed: stub.closed }).to.deep.equal({
      missing: [],
      message: undefined,
      fault: undefined,
      closed: 1,
    })
  })

  it('names the types that it could not read for now, and not those that it may not read [DISC-01]', async () => {
    const stub = stubOf((question) => {
      if (question.operation === 'DescribeDBInstances') throw awsError('InternalFailure', 500)
      if (question.operation === 'DescribeVolumes') throw awsError('UnauthorizedOperation', 403)
      return world(question)
    })
    const whole = discoverAws({ open: stub.open })(account)
    await Array.fromAsync(whole.pages)
    expect(whole.lostTypes).to.deep.equal(['aws-rds'])
    expect(whole.missingPermissions).to.deep.equal(['ec2:DescribeVolumes'])
    const limited = discoverAws({ open: stub.open })(account, undefined, new Set(['aws-rds', 'aws-ec2']))
    await Array.fromAsync(limited.pages)
    expect(limited.lostTypes).to.deep.equal(['aws-rds'])
  })

  it('counts as seen only the types it was asked for, though their finder finds others too', async () => {
    const scan = discoverAws({ open: stubOf(world).open })(account, undefined, new Set(['aws-eks-nodegroup']))
    const found = (await Array.fromAsync(scan.pages)).flat()
    expect(new Set(found.map(({ type }) => type))).to.deep.equal(new Set(['aws-eks-nodegroup']))
    const seen = scan.seen as readonly ScanCoverage[]
    expect(seen.toSorted((a, b) => (a.regions[0]! < b.regions[0]! ? -1 : 1))).to.deep.equal(
      regions.map((region) => ({ types: ['aws-eks-nodegroup'], regions: [region] })),
    )
  })

  it('reads again within the scan what was answered unreadably', async () => {
    const answered = new Map<string, number>()
    const stub = stubOf((question) => {
      const { operation, region } = question
      if (operation !== 'DescribeDBInstances') return world(question)
      const times = (answered.get(region) ?? 0) + 1
      answered.set(region, times)
      if (times === 1)
        throw Object.assign(new SyntaxError('Unexpected end of input'), { $metadata: { httpStatusCode: 200 } })
      return world(question)
    })
    const { found, message } = await scanned(stub)
    expect(uidsOf(found).toSorted()).to.deep.equal([...everything().keys()].toSorted())
    expect(message).to.equal(undefined)
  })

  it('asks four regions and two services of each at once, and hands on a page before the next are there', async () => {
    const many = Array.from({ length: 9 }, (_, n) => `eu-test-${n}`)
    let [now, most] = [0, 0]
    const underWay = new Map<string, number>()
    const stub = stubOf(world)
    const { open } = stub
    const counting: Stub['open'] = (of, signal) => {
      const session = open(of, signal)
      const ask = session.ask.bind(session)
      session.ask = (async (...args: Parameters<typeof ask>) => {
        const region = args[1]
        underWay.set(region, (underWay.get(region) ?? 0) + 1)
        now = [...underWay.values()].filter((count) => count > 0).length
        most = Math.max(most, now)
        expect(underWay.get(region)).to.be.at.most(2)
        try {
          return await ask(...args)
        } finally {
          underWay.set(region, underWay.get(region)! - 1)
        }
      }) as typeof ask
      return session
    }
    // The account itself is asked about beside its regions.
    const only = new Set(resourceTypes.map(({ type }) => type).filter((type) => type !== 'aws-account'))
    const discovery = discoverAws({ open: counting })({ ...account, regions: many }, undefined, only)
    let first = 0
    for await (const page of discovery.pages) {
      if (first === 0) first = stub.asked.length
      expect(page.length).to.be.at.most(pageSize)
    }
    expect(most).to.equal(4)
    expect(first).to.be.below(20)
    expect(stub.asked.some(({ operation }) => operation === 'DescribeRegions')).to.equal(false)
  })

  it('deletes nothing wrongly with 30 % of calls throttled, tells what it lost, and holds the budget of repeats', async () => {
    for (let seed = 1; seed <= amount(5, 20, 200); seed++) {
      const chance = chances(seed)
      const stub = stubOf(
        (question) => {
          if (question.operation !== 'DescribeRegions' && chance() < 0.3) throw awsError('ThrottlingException')
          return world(question)
        },
        { random: chances(seed + 100) },
      )
      const { found, seen, message, fault } = await scanned(stub)
      expect(fault, `seed ${seed}`).to.equal(undefined)
      expect(new Set(uidsOf(found)).size, `seed ${seed}`).to.equal(found.length)
      expect(wronglyDeleted(found, seen), `seed ${seed}`).to.deep.equal([])
      const minutes = Math.ceil((stub.clock.now() - Date.parse('2026-01-15T10:00:00Z')) / 60_000)
      // In each minute ten, or a tenth of its calls if that is more.
      expect(stub.asked.length - stub.calls, `seed ${seed}`).to.be.at.most(10 * minutes + stub.calls * 0.1)
      const whole = regions.every((region) => typesSeen(seen, region).length === typesInRegion)
      const isAll = whole && globallySeen(seen).length === globalTypes.length
      // What is optional of the account itself is told without hiding it.
      if (!isAll) expect(message, `seed ${seed}`).to.not.equal(undefined)
    }
  })

  it('sees the others when a region is down, names it, and does not wait for each of its services', async () => {
    const stub = stubOf((question) => {
      if (question.region === 'us-west-2')
        throw Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' })
      return world(question)
    })
    const { found, seen, message, fault } = await scanned(stub)
    expect(fault).to.equal(undefined)
    expect(typesSeen(seen, 'us-west-2')).to.deep.equal([])
    expect(typesSeen(seen, 'eu-west-1').length).to.equal(typesInRegion)
    expect(wronglyDeleted(found, seen)).to.deep.equal([])
    expect(found.filter(({ region }) => region === 'us-west-2')).to.deep.equal([])
    expect(found.filter(({ type }) => type === 'aws-s3-bucket').map(({ name }) => name)).to.deep.equal(['shop-logs'])
    expect(seen).to.deep.include({ types: ['aws-s3-bucket'], regions: ['us-east-1'] })
    // How many are still asked side by side is for the order of answers to say.
    expect(message!.replaceAll(/\d+ other/g, 'n other')).to.match(
      /^Global Accelerator could not be discovered: .*\. EKS cluster, .* and n other types could not be discovered in us-west-2: the connection to AWS failed \(ECONNREFUSED\)\. .* and n other types could not be discovered in us-west-2: the region did not respond, so it was skipped\. ec2 GetEbsEncryptionByDefault in us-west-2: the connection to AWS failed \(ECONNREFUSED\)$/,
    )
    // Four tries each of two or three services, of the bucket that lies there, of accelerators and for the account: not of 76.
    expect(stub.asked.filter(({ region }) => region === 'us-west-2').length).to.be.at.most(24)
  })

  it('keeps what stands on the pages behind one that fails, and sees the other types of the region', async () => {
    const stub = stubOf((question) => {
      if (isPage(question, 'DescribeInstances', 2)) throw awsError('InternalError', 500)
      return world(question)
    })
    const { found, seen, message } = await scanned(stub)
    const here = found.filter(({ type, region }) => type === 'aws-ec2' && region === 'eu-west-1')
    expect(uidsOf(here)).to.deep.equal(uidsIn('eu-west-1').slice(0, 2 * pageSize))
    expect(typesSeen(seen, 'eu-west-1')).to.not.include('aws-ec2')
    expect(typesSeen(seen, 'eu-west-1')).to.include('aws-ebs-volume')
    expect(typesSeen(seen, 'us-east-1')).to.include('aws-ec2')
    expect(wronglyDeleted(found, seen)).to.deep.equal([])
    expect(message).to.equal('EC2 instance could not be discovered in eu-west-1: ec2 DescribeInstances: InternalError.')
    // Where machines were not all seen nobody knows which volumes are roots.
    const [volume] = found.filter(({ type, region }) => type === 'aws-ebs-volume' && region === 'eu-west-1')
    expect(volume?.specs).to.not.have.property('is_root')
  })

  it('ends as refused when the credentials are revoked midway, having seen nothing', async () => {
    let left = 30
    const stub = stubOf((question) => {
      if (left-- <= 0) throw awsError('ExpiredToken', 403)
      return world(question)
    })
    const { found, seen, fault } = await scanned(stub)
    expect([fault?.code, seen, stub.closed]).to.deep.equal(['credentials_expired', [], 1])
    expect(found.length).to.be.above(0)
    expect(stub.asked.length).to.be.below(50)
  })

  it('keeps what may not be listed, and tells the type and the permission', async () => {
    const stub = stubOf((question) => {
      if (question.operation === 'DescribeVolumes') throw awsError('UnauthorizedOperation', 403)
      if (question.operation === 'ListBuckets') throw awsError('AccessDenied', 403)
      return world(question)
    })
    const { found, seen, missing, message } = await scanned(stub)
    expect(missing).to.deep.equal(['ec2:DescribeVolumes', 's3:ListAllMyBuckets'])
    expect(message).to.equal(
      'S3 bucket could not be discovered: the role is missing the permission s3:ListAllMyBuckets. EBS volume could not be discovered in eu-west-1, us-east-1, us-west-2: the role is missing the permission ec2:DescribeVolumes.',
    )
    expect(wronglyDeleted(found, seen)).to.deep.equal([])
    expect(typesSeen(seen, 'eu-west-1')).to.not.include('aws-ebs-volume')
    expect(typesSeen(seen, 'eu-west-1').length).to.equal(typesInRegion - 1)
    expect(globallySeen(seen)).to.not.include('aws-s3-bucket')
  })

  it('sees what it may list where tags or plans may not be asked, asking once for those', async () => {
    const stub = stubOf((question) => {
      if (question.operation === 'ListTags') throw awsError('AccessDeniedException', 403)
      if (question.operation !== 'ListFunctions') return world(question)
      return {
        Functions: ['a', 'b'].map((FunctionName) => ({
          FunctionName,
          FunctionArn: `arn:${question.region}:${FunctionName}`,
        })),
      }
    })
    const { found, seen, missing } = await scanned(stub, {}, { ...account, regions: ['eu-west-1'] })
    expect(found.filter(({ type }) => type === 'aws-lambda').map(({ tags }) => tags)).to.deep.equal([{}, {}])
    expect([missing, typesSeen(seen, 'eu-west-1').includes('aws-lambda')]).to.deep.equal([['lambda:ListTags'], true])
  })

  it('tells of a role with a policy from before once, with what it lacks, sees all as before, and looks for nothing again', async () => {
    const former = new Set(
      [...chains.flat(), ...globalFinders].filter((one) => !('permissions' in one)).flatMap(({ types }) => types),
    )
    const denied = new Set(listedTypes.flatMap(({ permissions }) => permissions))
    const before = new Set(
      awsPermissions
        .filter(({ types }) => types?.some((type) => former.has(type)) ?? true)
        .flatMap(({ names }) => names),
    )
    const stub = stubOf((question) => {
      const name = permissionOf(question.service, question.operation)
      if (denied.has(name) && !before.has(name)) throw awsError('AccessDeniedException', 403)
      return world(question)
    })
    const scan = discoverAws({ open: stub.open })(account)
    const found = (await Array.fromAsync(scan.pages)).flat()
    expect(uidsOf(found).toSorted()).to.deep.equal([...everything().keys()].toSorted())
    const seen = scan.seen as readonly ScanCoverage[]
    for (const type of former)
      if (!type.startsWith('aws-eks-') && type !== 'aws-s3-bucket')
        expect(typesSeen(seen, 'eu-west-1')).to.include(type)
    expect([wronglyDeleted(found, seen), scan.lostTypes]).to.deep.equal([[], []])
    expect(scan.message).to.match(
      /^[^.]+ and \d+ other types could not be discovered: the role is missing acm:ListCertificates, [^.]+ and \d+ other permissions; compare its policy with the output of tidemark account policy aws\.$/,
    )
    expect(scan.missingPermissions!.length).to.be.above(50)
    // Each is asked once: what is denied is not tried again.
    expect(stub.asked.length).to.equal(stub.calls)
  })

  it('takes what is not offered for nothing to find, and a failure for a loss that is looked at again', async () => {
    const words = {
      ListRepositories: 'NotImplemented',
      ListQueues: 'UnknownOperationException',
      ListTopics: 'InvalidAction',
    }
    const stub = stubOf((question) => {
      const word = (words as Record<string, string>)[question.operation]
      if (word !== undefined) throw awsError(word, word === 'NotImplemented' ? 501 : 400)
      if (question.operation === 'ListKeys') throw awsError('InternalServiceError', 501)
      if (question.service === 'workspaces') throw Object.assign(new Error('getaddrinfo'), { code: 'ENOTFOUND' })
      return world(question)
    })
    const scan = discoverAws({ open: stub.open })(account)
    const found = (await Array.fromAsync(scan.pages)).flat()
    expect(wronglyDeleted(found, scan.seen as readonly ScanCoverage[])).to.deep.equal([])
    const seen = typesSeen(scan.seen as readonly ScanCoverage[], 'eu-west-1')
    expect(seen).to.not.include.members(['aws-sqs-queue', 'aws-sns-topic', 'aws-workspace', 'aws-kms-key'])
    expect(scan.lostTypes).to.deep.equal(['aws-kms-key'])
    expect(scan.message).to.equal(
      'KMS key could not be discovered in eu-west-1, us-east-1, us-west-2: kms ListKeys: InternalServiceError.',
    )
  })

  it('takes a region that the account has not enabled for lost, not for the end of the credentials', async () => {
    const stub = stubOf((question) => {
      if (question.region === 'us-west-2') throw awsError('AuthFailure', 401)
      return world(question)
    })
    const { seen, message, fault } = await scanned(stub)
    expect(fault).to.equal(undefined)
    expect(typesSeen(seen, 'us-west-2')).to.deep.equal([])
    expect(typesSeen(seen, 'us-east-1').length).to.equal(typesInRegion)
    expect(message).to.contain('us-west-2')
  })

  it('sees buckets alone where the regions may not be listed, and says so', async () => {
    const stub = stubOf((question) => {
      if (question.operation === 'DescribeRegions') throw awsError('UnauthorizedOperation', 403)
      return world(question)
    })
    const { found, seen, missing, message } = await scanned(stub)
    expect(uidsOf(found).toSorted()).to.deep.equal([
      '123456789012',
      'arn:aws:s3:::shop-logs',
      'arn:aws:s3:::shop-media',
    ])
    expect([globallySeen(seen).toSorted(), seen.length]).to.deep.equal([globalTypes.toSorted(), globalTypes.length])
    expect(missing).to.deep.equal(['ec2:DescribeRegions'])
    expect(message).to.match(/^The list of regions could not be discovered: /)
  })

  it('leaves out buckets of regions that the account does not name, and says that nothing is covered outside of those it names [RES-38]', async () => {
    const stub = stubOf(world)
    const { found, seen } = await scanned(stub, {}, { ...account, regions: ['eu-west-1'] })
    expect(found.filter(({ type }) => type === 'aws-s3-bucket')).to.deep.equal([])
    expect(seen).to.deep.include({ types: ['aws-s3-bucket'], regions: ['eu-west-1'] })
    const outside = { types: [], regions: [], outsideOf: ['eu-west-1', '', 'global'] }
    expect(seen.filter((part) => !['eu-west-1', 'global'].includes(part.regions.join()))).to.deep.equal([outside])
  })

  it('stops asking when nobody reads on, and when it is aborted; then it has seen nothing', async () => {
    const stub = stubOf(world)
    const left = discoverAws({ open: stub.open })(account)
    for await (const page of left.pages) if (page.length > 0) break
    const asked = stub.asked.length
    await stub.clock.sleep(60_000)
    expect([stub.asked.length, left.seen, stub.closed]).to.deep.equal([asked, [], 1])

    const stop = new AbortController()
    const other = stubOf(world)
    const aborted = discoverAws({ open: other.open })(account, stop.signal)
    let pages = 0
    for await (const _ of aborted.pages) if (++pages === 3) stop.abort()
    expect([aborted.seen, other.closed]).to.deep.equal([[], 1])
    expect(other.asked.length).to.be.below(60)
  })

  it('takes answers without members, with nulls and of unknown shape for what they tell', async () => {
    const odd: Record<string, unknown> = {
      DescribeInstances: {
        Reservations: [
          null,
          {},
          { Instances: null },
          {
            Instances: [
              {
                InstanceId: 'i-1',
                Tags: null,
                State: null,
                Placement: null,
                BlockDeviceMappings: [{}],
                NetworkInterfaces: [{ Attachment: null }],
              },
            ],
          },
        ].filter(Boolean),
      },
      DescribeVolumes: {
        Volumes: [
          { VolumeId: 'vol-1', Attachments: null, CreateTime: 'never', Tags: [{ Key: 'a' }, {}, { Value: 'b' }] },
          {},
        ],
      },
      DescribeAutoScalingGroups: {
        AutoScalingGroups: [{ AutoScalingGroupARN: 'arn:asg', Instances: [{}], MixedInstancesPolicy: {} }],
      },
      DescribeAddresses: { Addresses: [{ PublicIp: '203.0.113.9' }] },
      DescribeDBInstances: { DBInstances: [{ DBInstanceIdentifier: 'db', DBInstanceStatus: 'unheard-of' }] },
    }
    const stub = stubOf(({ operation }) => odd[operation] ?? {})
    const { found, fault } = await scanned(stub, {}, { ...account, regions: ['eu-west-1'] })
    expect(fault).to.equal(undefined)
    const told = found.map(({ resourceUid, status, region, tags }) => ({ resourceUid, status, region, tags }))
    const here = { region: 'eu-west-1', tags: {} }
    expect(told.toSorted((a, b) => (a.resourceUid < b.resourceUid ? -1 : 1))).to.deep.equal([
      { resourceUid: '123456789012', status: 'running', region: 'global', tags: {} },
      { resourceUid: '203.0.113.9', status: 'running', ...here },
      { resourceUid: 'arn:asg', status: 'stopping', ...here },
      { resourceUid: 'db', status: 'pending', ...here },
      { resourceUid: 'i-1', status: undefined, ...here },
      { resourceUid: 'vol-1', status: 'running', ...here, tags: { a: '' } },
    ])
  })
})
