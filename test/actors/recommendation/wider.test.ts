import { expect } from 'chai'
import { widerFacts } from '#actors/recommendation/wider.ts'

describe('commitments of a whole account', () => {
  it('are told to the resources whose own reservation they contain, and to no others', () => {
    const savings = new Map([
      ['RC-1501', 1400],
      ['RC-1504', 300],
    ])
    expect(widerFacts(savings, 'aws-ec2')).to.deep.equal({ 'wider.RC-1501': 1400 })
    expect(widerFacts(savings, 'aws-rds')).to.deep.equal({ 'wider.RC-1504': 300 })
    expect(widerFacts(savings, 'aws-ebs-volume')).to.deep.equal({})
    expect(widerFacts(new Map(), 'aws-ec2')).to.deep.equal({})
  })
})
