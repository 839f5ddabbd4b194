/** Types that are declared by one value each: what is made in moto by AWS's own clients is found, type by type. */
import { expect } from 'chai'
import { discoverAws } from '#streams/cloud/aws/discover/discover.ts'
import { listedTypes } from '#streams/cloud/aws/discover/listed/index.ts'
import { openAws } from '#streams/cloud/aws/session/open.ts'
import type { AwsSession } from '#streams/cloud/aws/session/session.ts'
import type { CloudAccount, DiscoveredResource } from '#streams/cloud/connector.ts'
import type { ScanCoverage } from '#streams/refresh.ts'
import { describeMoto, type Moto } from '#test/harness/moto.ts'
import { amount } from '#test/harness/tier.ts'

const east = 'us-east-1'
const account: CloudAccount = {
  id: 'acct-1',
  orgId: 'org-1',
  provider: 'aws',
  externalId: '123456789012',
  name: 'moto',
  regions: [east],
  credentials: { roleARN: 'arn:aws:iam::123456789012:role/tidemark', externalID: 'tidemark-1' },
}
const types = new Set(listedTypes.flatMap((one) => one.types))

async function scanned(moto: Moto) {
  const open = (one: CloudAccount, signal?: AbortSignal) => openAws(one, moto.options, signal)
  const scan = discoverAws({ open })(account, undefined, types)
  const found: DiscoveredResource[] = []
  for await (const page of scan.pages) found.push(...page)
  const counts = Object.fromEntries([...Map.groupBy(found, ({ type }) => type)].map(([type, of]) => [type, of.length]))
  const seen = new Set((scan.seen as readonly ScanCoverage[]).flatMap((part) => part.types))
  return { found, counts, seen, message: scan.message, lostTypes: scan.lostTypes }
}

/** Makes the `n`th of a type. */
type Make = (session: AwsSession, n: number) => Promise<unknown>

const makes: Readonly<Record<string, Make>> = {
  'aws-kinesis-stream': (s, n) =>
    s.ask('kinesis', east, (m) => new m.CreateStreamCommand({ StreamName: `s-${n}`, ShardCount: 1 })),
  'aws-sqs-queue': (s, n) => s.ask('sqs', east, (m) => new m.CreateQueueCommand({ QueueName: `q-${n}` })),
  'aws-sns-topic': (s, n) => s.ask('sns', east, (m) => new m.CreateTopicCommand({ Name: `t-${n}` })),
  'aws-kms-key': (s) => s.ask('kms', east, (m) => new m.CreateKeyCommand({})),
  'aws-secret': (s, n) =>
    s.ask('secrets-manager', east, (m) => new m.CreateSecretCommand({ Name: `k-${n}`, SecretString: 'x' })),
  'aws-ecr-repository': (s, n) =>
    s.ask('ecr', east, (m) => new m.CreateRepositoryCommand({ repositoryName: `r-${n}` })),
  'aws-efs': (s, n) => s.ask('efs', east, (m) => new m.CreateFileSystemCommand({ CreationToken: `f-${n}` })),
  'aws-security-group': (s, n) =>
    s.ask('ec2', east, (m) => new m.CreateSecurityGroupCommand({ GroupName: `g-${n}`, Description: 'of a test' })),
  'aws-vpc': (s, n) => s.ask('ec2', east, (m) => new m.CreateVpcCommand({ CidrBlock: `10.${n}.0.0/16` })),
  'aws-clb': (s, n) =>
    s.ask(
      'elastic-load-balancing',
      east,
      (m) =>
        new m.CreateLoadBalancerCommand({
          LoadBalancerName: `b-${n}`,
          AvailabilityZones: [`${east}a`],
          Listeners: [{ Protocol: 'TCP', LoadBalancerPort: 80, InstancePort: 80 }],
        }),
    ),
  'aws-acm-certificate': (s, n) =>
    s.ask('acm', east, (m) => new m.RequestCertificateCommand({ DomainName: `c${n}.example.com` })),
  'aws-cw-alarm': (s, n) =>
    s.ask(
      'cloudwatch',
      east,
      (m) =>
        new m.PutMetricAlarmCommand({
          AlarmName: `a-${n}`,
          MetricName: 'CPUUtilization',
          Namespace: 'AWS/EC2',
          Statistic: 'Average',
          Period: 300,
          EvaluationPeriods: 1,
          Threshold: 1,
          ComparisonOperator: 'GreaterThanThreshold',
        }),
    ),
  'aws-cfn-stack': (s, n) =>
    s.ask(
      'cloudformation',
      east,
      (m) =>
        new m.CreateStackCommand({
          StackName: `stack-${n}`,
          TemplateBody: JSON.stringify({ Resources: { Wait: { Type: 'AWS::CloudFormation::WaitConditionHandle' } } }),
        }),
    ),
  'aws-iam-user': (s, n) => s.ask('iam', east, (m) => new m.CreateUserCommand({ UserName: `u-${n}` })),
  'aws-route53-zone': (s, n) =>
    s.ask(
      'route-53',
      east,
      (m) => new m.CreateHostedZoneCommand({ Name: `z${n}.example.com`, CallerReference: `z-${n}` }),
    ),
  'aws-glue-job': (s, n) =>
    s.ask(
      'glue',
      east,
      (m) => new m.CreateJobCommand({ Name: `j-${n}`, Role: 'arn:aws:iam::123456789012:role/glue', Command: {} }),
    ),
  'aws-sagemaker-notebook': (s, n) =>
    s.ask(
      'sagemaker',
      east,
      (m) =>
        new m.CreateNotebookInstanceCommand({
          NotebookInstanceName: `n-${n}`,
          InstanceType: 'ml.t3.medium',
          RoleArn: 'arn:aws:iam::123456789012:role/sagemaker',
        }),
    ),
  'aws-opensearch': (s, n) =>
    s.ask('opensearch', east, (m) => new m.CreateDomainCommand({ DomainName: `domain-${n}` })),
  'aws-transfer-server': (s) => s.ask('transfer', east, (m) => new m.CreateServerCommand({})),
  'aws-mq-broker': (s, n) =>
    s.ask(
      'mq',
      east,
      (m) =>
        new m.CreateBrokerCommand({
          BrokerName: `broker-${n}`,
          EngineType: 'ACTIVEMQ',
          EngineVersion: '5.17.6',
          HostInstanceType: 'mq.t3.micro',
          DeploymentMode: 'SINGLE_INSTANCE',
          AutoMinorVersionUpgrade: true,
          PubliclyAccessible: false,
          Users: [{ Username: 'admin', Password: 'of-a-test-only' }],
        }),
    ),
}

/** What AWS makes itself: the default network, a security group of each network, and one for classic load balancers each. */
function besides(
  type: string,
  { 'aws-vpc': networks = 0, 'aws-clb': balancers = 0 }: Readonly<Record<string, number>>,
) {
  if (type === 'aws-security-group') return 1 + networks + balancers
  return type === 'aws-vpc' ? 1 : 0
}

describeMoto('types of AWS that are declared, in moto', (moto) => {
  it('are found as often as they were made, and what moto does not offer is no failure', async () => {
    const most = amount(2, 30, 300)
    const made: Record<string, number> = {}
    const session = openAws(account, moto().options)
    for (const [at, [type, make]] of Object.entries(makes).entries()) {
      made[type] = 1 + (at % most)
      for (let n = 0; n < made[type]; n++) await make(session, n)
    }
    session.close()
    const { counts, seen, lostTypes, message, found } = await scanned(moto())
    for (const [type, count] of Object.entries(made))
      expect(counts[type] ?? 0, `${type}: ${message}`).to.equal(count + besides(type, made))
    expect(Object.keys(made).filter((type) => !seen.has(type))).to.deep.equal([])
    expect([lostTypes, message]).to.deep.equal([[], undefined])
    expect(new Set(found.map(({ resourceUid }) => resourceUid)).size).to.equal(found.length)
  })
})
