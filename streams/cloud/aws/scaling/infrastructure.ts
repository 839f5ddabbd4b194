/**
 * Infrastructure that our autoscaler policies need in an AWS account: a role, and a function that records every change
 * AWS makes to groups and services, so that these can be told from our own. One of each per account, in the account's
 * first region.
 */
import type { CloudAccount, Infrastructure } from '#streams/cloud/connector.ts'
import { cloudFault } from '#streams/cloud/connector.ts'
import { ignoreNotFound } from '#streams/cloud/resource/verb/kind.ts'
import { isWord } from '#streams/cloud/aws/session/fault.ts'
import { openAws } from '#streams/cloud/aws/session/open.ts'
import { globalRegion, type AwsOptions, type AwsSession } from '#streams/cloud/aws/session/session.ts'
import { zipOf } from './zip.ts'

/** Types of targets whose policies need it. */
export const infrastructureFor: readonly string[] = ['aws-asg', 'aws-ecs-service']

const name = 'tidemark-scaling'

const trust = {
  Version: '2012-10-17',
  Statement: [{ Effect: 'Allow', Principal: { Service: 'lambda.amazonaws.com' }, Action: 'sts:AssumeRole' }],
}
const mayWriteLogs = {
  Version: '2012-10-17',
  Statement: [
    { Effect: 'Allow', Action: ['logs:CreateLogGroup', 'logs:CreateLogStream', 'logs:PutLogEvents'], Resource: '*' },
  ],
}

const code = `export const handler = async ({ source, 'detail-type': type, time, region, resources, detail }) => {
  console.log(JSON.stringify({ source, type, time, region, resources, detail }))
}
`

/** Event pattern of the recorded changes. */
const pattern = {
  source: ['aws.autoscaling', 'aws.ecs'],
  'detail-type': [
    'EC2 Instance Launch Successful',
    'EC2 Instance Terminate Successful',
    'EC2 Instance Launch Unsuccessful',
    'ECS Service Action',
  ],
}

/** Existing parts stay as they are; missing parts are created. */
export async function createInfrastructure(options: AwsOptions, account: CloudAccount): Promise<Infrastructure> {
  const region = account.regions[0] ?? globalRegion
  const session = openAws(account, options)
  try {
    const role = await roleIn(session)
    const runtime = await functionIn(session, region, role)
    await subscribeToChanges(session, region, runtime)
    return { role, runtime }
  } finally {
    session.close()
  }
}

async function roleIn(session: AwsSession): Promise<string> {
  const found = await ignoreNotFound(session.ask('iam', globalRegion, (m) => new m.GetRoleCommand({ RoleName: name })))
  const order = { RoleName: name, AssumeRolePolicyDocument: JSON.stringify(trust), Description: 'Tidemark: scaling' }
  const { Role } =
    found ?? (await session.ask('iam', globalRegion, (m) => new m.CreateRoleCommand(order), { repeatable: false }))
  const policy = { RoleName: name, PolicyName: 'logs', PolicyDocument: JSON.stringify(mayWriteLogs) }
  await session.ask('iam', globalRegion, (m) => new m.PutRolePolicyCommand(policy))
  return arnIn(Role?.Arn, 'role')
}

async function functionIn(session: AwsSession, region: string, Role: string): Promise<string> {
  const found = await ignoreNotFound(
    session.ask('lambda', region, (m) => new m.GetFunctionCommand({ FunctionName: name })),
  )
  if (found) return arnIn(found.Configuration?.FunctionArn, 'function')
  const order = {
    FunctionName: name,
    Role,
    Runtime: 'nodejs22.x' as const,
    Handler: 'index.handler',
    Code: { ZipFile: zipOf('index.mjs', code) },
    Description: 'Tidemark: records scaling changes',
  }
  try {
    const made = await session.ask('lambda', region, (m) => new m.CreateFunctionCommand(order), { repeatable: false })
    return arnIn(made.FunctionArn, 'function')
  } catch (error) {
    // A new role takes a moment to be known everywhere.
    const isEarly = isWord(error, /^InvalidParameterValueException$/) && /assumed by Lambda/.test(String(error))
    if (!isEarly) throw error
    throw cloudFault('transient', 'role_not_ready', `Lambda does not know the role ${Role} yet.`, {}, error)
  }
}

async function subscribeToChanges(session: AwsSession, region: string, Arn: string): Promise<void> {
  const rule = { Name: name, EventPattern: JSON.stringify(pattern), Description: 'Tidemark: scaling' }
  const { RuleArn } = await session.ask('eventbridge', region, (m) => new m.PutRuleCommand(rule))
  const permission = {
    FunctionName: name,
    StatementId: name,
    Action: 'lambda:InvokeFunction',
    Principal: 'events.amazonaws.com',
    SourceArn: RuleArn,
  }
  try {
    await session.ask('lambda', region, (m) => new m.AddPermissionCommand(permission))
  } catch (error) {
    if (!isWord(error, /^ResourceConflictException$/)) throw error
  }
  const targets = { Rule: name, Targets: [{ Id: name, Arn }] }
  await session.ask('eventbridge', region, (m) => new m.PutTargetsCommand(targets))
}

function arnIn(arn: string | undefined, what: string): string {
  if (arn) return arn
  throw cloudFault('system', 'unknown_answer', `AWS returned no ARN for the ${what} ${name}.`)
}
