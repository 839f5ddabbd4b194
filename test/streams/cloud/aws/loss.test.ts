import { expect } from 'chai'
import { regionLoss } from '#streams/cloud/aws/discover/discover.ts'
import { lossMessage, type Loss } from '#streams/cloud/scan/loss.ts'
import { awsFault } from '#streams/cloud/aws/session/fault.ts'
import { awsError } from './stub.ts'

const lost = (region: string, types: string[], asked: [string, string], word = 'InternalError', status = 500): Loss => {
  const [service, operation] = asked
  return regionLoss(region, types, awsFault(awsError(word, status), { service, operation, region }))
}
const machines: [string, string] = ['ec2', 'DescribeInstances']
const tables: [string, string] = ['dynamodb', 'ListTables']

describe('what could not be seen of an account of AWS', () => {
  it('is nothing where nothing was lost, and remarks alone where there are some', () => {
    expect(lossMessage([])).to.equal(undefined)
    expect(lossMessage([], ['A cluster is private.'])).to.equal('A cluster is private.')
  })

  it('is told of each cause with its own types: that of one is not said of others', () => {
    const losses = [
      lost('us-east-1', ['aws-ec2'], machines),
      lost('us-east-1', ['aws-dynamodb-table'], tables, 'AccessDenied', 403),
      regionLoss('us-east-1', ['aws-lambda']),
    ]
    expect(lossMessage(losses)).to.equal(
      [
        'DynamoDB table could not be discovered in us-east-1: the role is missing the permission dynamodb:ListTables.',
        'EC2 instance could not be discovered in us-east-1: ec2 DescribeInstances: InternalError.',
        'Lambda function could not be discovered in us-east-1: the region did not respond, so it was skipped.',
      ].join(' '),
    )
  })

  it('is told once of what several calls of a region failed of alike, and of what several regions lack alike', () => {
    const here = [lost('eu-west-1', ['aws-ec2'], machines), lost('eu-west-1', ['aws-dynamodb-table'], tables)]
    expect(lossMessage(here)).to.equal(
      'EC2 instance, DynamoDB table could not be discovered in eu-west-1: InternalError.',
    )
    const regions = ['us-west-2', 'eu-west-1', 'us-east-1', 'us-east-2', 'ap-south-1']
    expect(
      lossMessage(regions.map((region) => lost(region, ['aws-ec2'], machines, 'UnauthorizedOperation', 403))),
    ).to.equal(
      'EC2 instance could not be discovered in ap-south-1, eu-west-1, us-east-1 and 2 other regions: the role is missing the permission ec2:DescribeInstances.',
    )
  })

  it('is no more than a thousand signs', () => {
    const words = Array.from({ length: 40 }, (_, n) => lost('us-east-1', ['aws-ec2'], machines, `Reason${n}`))
    expect(lossMessage(words)!.length).to.equal(1000)
  })
})
