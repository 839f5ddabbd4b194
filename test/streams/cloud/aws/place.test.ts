import { expect } from 'chai'
import { nameOf, partsOf, regionOf } from '#streams/cloud/aws/resource/uid.ts'
import { account, fails } from './stub-session.ts'

describe('places of AWS', () => {
  it('name a resource as its service does, by its uid', () => {
    const names = {
      'i-0a1b': 'i-0a1b',
      'arn:aws:rds:us-east-1:1:db:orders': 'orders',
      'arn:aws:rds:us-east-1:1:cluster-snapshot:tidemark-1': 'tidemark-1',
      'arn:aws:autoscaling:us-west-2:1:autoScalingGroup:8a70:autoScalingGroupName/web': 'web',
      'arn:aws:ecs:us-east-1:1:service/shop/cart': 'shop/cart',
      'arn:aws:eks:us-east-1:1:nodegroup/main/workers/9c3': 'main/workers/9c3',
      'arn:aws:lambda:us-east-1:1:function:resize': 'resize',
      'arn:aws:logs:us-east-1:1:log-group:/aws/shop:*': '/aws/shop',
      'arn:aws:logs:us-east-1:1:log-group:/aws/shop': '/aws/shop',
      'arn:aws:s3:::pictures': 'pictures',
      'arn:aws:elasticloadbalancing:us-east-1:1:loadbalancer/app/web/50dc': 'app/web/50dc',
      'arn:aws:ecr:us-east-1:1:repository/shop/cart': 'shop/cart',
      'redshift:facts': 'facts',
    }
    expect(Object.fromEntries(Object.keys(names).map((uid) => [uid, nameOf(uid)]))).to.deep.equal(names)
    expect(partsOf('arn:aws:ecs:us-east-1:1:service/shop/cart')).to.deep.equal(['shop', 'cart'])
  })

  it('are in the region that the inventory, the uid or the account says, and in no other', async () => {
    const at = (resourceUid: string, region = '', regions = account.regions) =>
      regionOf({ regions }, { resourceUid, region, type: 'aws-ec2' })
    expect(at('i-1', 'eu-west-1')).to.equal('eu-west-1')
    expect(at('arn:aws:rds:eu-west-2:1:db:orders')).to.equal('eu-west-2')
    expect(at('i-1')).to.equal('us-east-1')
    expect(regionOf({ regions: [] }, { resourceUid: 'arn:aws:s3:::a', region: '', type: 'aws-s3-bucket' })).to.equal(
      'us-east-1',
    )
    expect(await fails(Promise.resolve().then(() => at('i-1', '', [])))).to.equal('user_action region_unknown')
  })
})
