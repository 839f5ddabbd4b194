import { expect } from 'chai'
import { olderNameOf } from '#streams/cloud/resource/older-metric.ts'
import { metricNames, type OlderMetric, type RuleMetric } from '#streams/metric/messages.ts'

describe('names of metrics', () => {
  it('takes the 77 names of the rules and the older ones beside them', () => {
    expect(metricNames).to.have.length(82)
    expect(new Set(metricNames)).to.have.property('size', 82)
    expect(metricNames).to.include.members(['cpu_percent', 'requests', 'request_count', 'disk_percent'])
  })

  it('answers what rules read by the older name of the same measure, as the type of the resource has it', () => {
    const cases: [RuleMetric, string, OlderMetric | undefined][] = [
      ['network_bytes_in', 'aws-ec2', 'network_in_bytes'],
      ['network_bytes_out', 'gcp-vm', 'network_out_bytes'],
      ['requests', 'aws-lambda', 'request_count'],
      ['capacity', 'aws-asg', 'instance_count'],
      ['replicas', 'aws-asg', undefined],
      ['replicas', 'gcp-gke-deployment', 'instance_count'],
      ['capacity', 'gcp-gke-deployment', undefined],
      ['instances', 'gcp-cloud-run', 'instance_count'],
      ['storage_used_percent', 'aws-rds', 'disk_percent'],
      ['storage_used_percent', 'aws-ec2', undefined],
      ['storage_used_percent', 'azure-vmss', undefined],
      ['cpu_percent', 'aws-ec2', undefined],
    ]
    for (const [metric, type, older] of cases) expect(olderNameOf(metric, type), `${metric} of ${type}`).to.equal(older)
  })
})
