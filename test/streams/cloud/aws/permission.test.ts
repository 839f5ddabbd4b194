import { readdirSync, readFileSync } from 'node:fs'
import { expect } from 'chai'
import { permissionOf } from '#streams/cloud/aws/session/fault.ts'
import { awsPermissions } from '#streams/cloud/aws/permission/permissions.ts'
import { organizationPolicy } from '#streams/cloud/aws/permission/stack-set.ts'
import { services } from '#streams/cloud/aws/session/services.ts'

const folder = new URL('../../../../streams/cloud/aws/', import.meta.url)

/** Every call that the sources make, as service and operation. */
function callsMade(): Set<string> {
  const made = new Set<string>()
  const names = services.join('|')
  const shape = new RegExp(`'(${names})',(?:(?!'(?:${names})',)[\\s\\S]){0,1200}?new m\\w*\\.(\\w+)Command\\(`, 'g')
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((one) => one.endsWith('.ts')))
    for (const [, service, operation] of readFileSync(new URL(name, folder), 'utf8').matchAll(shape))
      made.add(permissionOf(service!, operation!))
  return made
}

/** What AWS asks of us for calls of others: of a group, a target tracking, a tag, a web ACL. */
const behind = [
  'amplify:ListResourcesForWebACL',
  'apprunner:ListAssociatedServicesForWebAcl',
  'cognito-idp:ListResourcesForWebACL',
  'ec2:DescribeVerifiedAccessInstanceWebAclAssociations',
  'autoscaling:CreateOrUpdateTags',
  'cloudwatch:DeleteAlarms',
  'cloudwatch:PutMetricAlarm',
  'ec2:CreateTags',
  'ec2:RunInstances',
  'ecr:TagResource',
  'eks:TagResource',
  'elasticache:AddTagsToResource',
  'elasticloadbalancing:AddTags',
  'iam:CreateServiceLinkedRole',
  'iam:PassRole',
  'iam:TagRole',
  'rds:AddTagsToResource',
  'ssm:GetParameters',
]

describe('the table of permissions of AWS', () => {
  const named = new Set(awsPermissions.flatMap(({ names }) => names))

  it('has that of every call that is made, so that what is printed is enough', () => {
    const made = callsMade()
    expect(made.size).to.be.above(150)
    // Of the management account of an organization alone.
    const more = organizationPolicy.Statement.flatMap(({ Action }) => Action).filter((name) => !named.has(name))
    // Granted by hand: for the bucket of scheduled exports (docs/exports.md), for the secret of one server (docs/connect-aws.md).
    const byHand = ['s3:DeleteObject', 's3:PutObject', 'secretsmanager:GetSecretValue']
    expect([...made].filter((name) => !named.has(name)).toSorted()).to.deep.equal([...more, ...byHand])
  })

  it('has no other, but for what AWS asks for behind those calls', () => {
    const made = callsMade()
    const more = [...named].filter((name) => !made.has(name) && !behind.includes(name))
    expect(more.toSorted()).to.deep.equal([])
  })
})
