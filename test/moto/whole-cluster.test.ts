// tier: deep
/** A cluster of EKS with its groups of machines, made at AWS through the API and taken away whole. */
import { expect } from 'chai'
import { configExample } from '#http/catalog/example.ts'
import type { AwsSession } from '#streams/cloud/aws/session/session.ts'
import { describeMoto } from '#test/harness/moto.ts'
import { resetClock } from '#test/harness/people.ts'
import { owning, region } from './account.ts'
import { connected, type Connected } from './connected.ts'
import { losing } from './refusing.ts'

const groups = [
  { name: 'general', instanceType: 'm5.large', min: 2, max: 6 },
  { name: 'batch', instanceType: 'c5.large', min: 1, max: 3 },
]

describeMoto(
  'a cluster of EKS that is provisioned through the API',
  (moto) => {
    let org: Connected
    let spaceID: string
    let place: { vpcID: string; subnetIDs: string[] }
    before(async () => {
      place = await owning(moto(), async (s) => {
        const { Subnets = [] } = await s.ask('ec2', region, (m) => new m.DescribeSubnetsCommand({}))
        const subnetIDs = Subnets.slice(0, 2).map(({ SubnetId }) => SubnetId!)
        await others(s, subnetIDs)
        return { vpcID: Subnets[0]!.VpcId!, subnetIDs }
      })
      org = await connected(moto(), { regions: [region] })
      spaceID = (await org.done('POST', '/spaces', { name: 'Shop', cloudAccountID: org.accountId, region })).id
    })
    afterEach(() => void (org.door.loses = () => false))
    after(async () => {
      await org.end()
      await resetClock()
    })

    const become = async (id: string, phase: string) => {
      let shown: any
      await org.reached(`${phase} of a job`, async () => {
        shown = await org.data(`/provisioning-jobs/${id}`)
        return [phase, 'failed', 'delete_failed'].includes(shown.phase)
      })
      expect([shown.phase, shown.error]).to.deep.equal([phase, undefined])
      return shown
    }
    const standing = () => owning(moto(), standingIn)
    /** What was to be made, by who asked; what was refused or not answered is there too. */
    const orders = (from: number) =>
      org.door.asked
        .slice(from)
        .map(({ action }) => action.replace(/\/clusters\/[^/]+\//, '/clusters/ours/'))
        .filter((action) => /^(POST |Create)/.test(action))
        .toSorted()

    for (const [when, share] of [
      ['', 0],
      [', where three of ten answers are lost', 0.3],
    ] as const)
      it(`is made once with its machines, and is gone with all that was made for it${when}`, async () => {
        const before = await standing()
        const from = org.door.asked.length
        org.door.loses = losing(share)
        const name = `shop-${share * 10}`
        const config = { ...configExample('kubernetes'), name, version: '1.31', nodeGroups: groups, ...place }
        const { id } = await org.done('POST', '/provisioning-jobs', { spaceID, kind: 'kubernetes', config })
        await become(id, 'ready')
        expect(orders(from)).to.deep.equal([
          'CreateRole',
          'CreateRole',
          'CreateSecurityGroup',
          'POST /clusters',
          'POST /clusters/ours/node-groups',
          'POST /clusters/ours/node-groups',
        ])
        const after = await standing()
        const [made] = Object.keys(after.clusters).filter((one) => !(one in before.clusters))
        expect(made).to.match(new RegExp(`^${name}`))
        expect(after.clusters).to.deep.equal({
          ...before.clusters,
          [made!]: ['batch c5.large 1-3', 'general m5.large 2-6'],
        })
        expect(after.roles.length - before.roles.length).to.equal(2)

        await org.done('DELETE', `/provisioning-jobs/${id}`)
        await become(id, 'deleted')
        expect(await standing()).to.deep.equal(before)
      })
  },
  { hasPolicies: true },
)

/** A cluster of somebody else's, which is left alone. */
async function others(s: AwsSession, subnetIds: string[]): Promise<void> {
  const roleArn = 'arn:aws:iam::123456789012:role/eks'
  const cluster = { name: 'others', roleArn, resourcesVpcConfig: { subnetIds } }
  await s.ask('eks', region, (m) => new m.CreateClusterCommand(cluster))
  const scalingConfig = { minSize: 1, maxSize: 2, desiredSize: 1 }
  const nodes = { nodegroupName: 'theirs', nodeRole: roleArn, subnets: subnetIds, instanceTypes: ['t3.large'] }
  await s.ask('eks', region, (m) => new m.CreateNodegroupCommand({ clusterName: 'others', ...nodes, scalingConfig }))
}

/** All clusters with their machines, roles and firewalls. */
async function standingIn(s: AwsSession) {
  const { clusters = [] } = await s.ask('eks', region, (m) => new m.ListClustersCommand({}))
  const found: Record<string, string[]> = {}
  for (const clusterName of clusters) {
    const { nodegroups = [] } = await s.ask('eks', region, (m) => new m.ListNodegroupsCommand({ clusterName }))
    found[clusterName] = []
    for (const nodegroupName of nodegroups.toSorted()) {
      const one = { clusterName, nodegroupName }
      const { nodegroup } = await s.ask('eks', region, (m) => new m.DescribeNodegroupCommand(one))
      const { minSize, maxSize } = nodegroup!.scalingConfig!
      found[clusterName].push(`${nodegroupName} ${nodegroup!.instanceTypes![0]} ${minSize}-${maxSize}`)
    }
  }
  const { Roles = [] } = await s.ask('iam', region, (m) => new m.ListRolesCommand({}))
  const { SecurityGroups = [] } = await s.ask('ec2', region, (m) => new m.DescribeSecurityGroupsCommand({}))
  return {
    clusters: found,
    roles: Roles.map(({ RoleName }) => RoleName!).toSorted(),
    firewalls: SecurityGroups.map(({ GroupName }) => GroupName!).toSorted(),
  }
}
