import { expect } from 'chai'
import { typeOf } from '#streams/cloud/resource/resource-type.ts'
import { permissions, requiredPermissions } from '#streams/cloud/permission/permission.ts'
import { providers } from '#streams/names.ts'

/** How each cloud spells a permission. */
const spelling = {
  aws: /^[a-z0-9-]+:[A-Z][A-Za-z0-9]+$/,
  gcp: /^[a-z]+\.[A-Za-z]+\.[A-Za-z]+$/,
  azure: /^Microsoft\.[A-Za-z]+(\/[A-Za-z]+)+\/(read|write|delete|action)$/,
}
const named = (provider: keyof typeof spelling, access: 'read' | 'write') =>
  permissions[provider].filter((one) => one.access === access).flatMap(({ names }) => names)

describe('what autoscaling must be allowed at clouds', () => {
  it('is what it reads and writes of groups, services, metrics and quotas at AWS [ASC-04]', () => {
    expect(requiredPermissions('aws', 'autoscaling')).to.deep.equal([
      'autoscaling:DescribeAutoScalingGroups',
      'ecs:DescribeServices',
      'application-autoscaling:DescribeScalableTargets',
      'eks:DescribeNodegroup',
      'cloudwatch:GetMetricData',
      'autoscaling:DescribePolicies',
      'application-autoscaling:DescribeScalingPolicies',
      'servicequotas:GetServiceQuota',
      'servicequotas:GetAWSDefaultServiceQuota',
      'autoscaling:UpdateAutoScalingGroup',
      'ecs:UpdateService',
      'application-autoscaling:RegisterScalableTarget',
      'eks:UpdateNodegroupConfig',
      'autoscaling:PutScalingPolicy',
      'autoscaling:DeletePolicy',
      'application-autoscaling:PutScalingPolicy',
      'application-autoscaling:DeleteScalingPolicy',
      'cloudwatch:DescribeAlarms',
      'cloudwatch:PutMetricAlarm',
      'cloudwatch:DeleteAlarms',
      'iam:CreateServiceLinkedRole',
      'iam:GetRole',
      'iam:CreateRole',
      'iam:PutRolePolicy',
      'iam:PassRole',
      'lambda:GetFunction',
      'lambda:CreateFunction',
      'lambda:AddPermission',
      'events:PutRule',
      'events:PutTargets',
    ])
  })

  it('is spelled as each cloud spells it, each once, of types that the cloud has [ASC-04]', () => {
    for (const provider of providers) {
      const names = requiredPermissions(provider, 'autoscaling')
      const all = permissions[provider].flatMap((one) => one.names)
      expect(all.filter((name) => !spelling[provider].test(name))).to.deep.equal([])
      expect(new Set(names).size, provider).to.equal(names.length)
      const types = permissions[provider].flatMap((one) => one.types ?? [])
      expect(types.filter((type) => typeOf(type)?.provider !== provider)).to.deep.equal([])
    }
  })

  it('changes nothing where it only reads, and reads and writes at every cloud', () => {
    for (const provider of providers) {
      expect(
        named(provider, 'read').filter((name) => /[.:/](Put|Create|Delete|Update|update|write|delete)/.test(name)),
      ).to.deep.equal([])
      expect(named(provider, 'read')).to.have.length.above(3)
      expect(named(provider, 'write')).to.have.length.above(3)
    }
  })

  it('names the infrastructure at AWS alone, where it is needed', () => {
    const calls = providers.map((provider) => permissions[provider].some(({ call }) => call === 'createInfrastructure'))
    expect(Object.fromEntries(providers.map((provider, i) => [provider, calls[i]]))).to.deep.equal({
      aws: true,
      gcp: false,
      azure: false,
    })
  })
})
