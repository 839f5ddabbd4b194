import { expect } from 'chai'
import { focusUnit } from '#streams/billing/format/focus-unit.ts'

describe('the FOCUS spelling of a unit', () => {
  const spelled = {
    Hrs: 'Hours',
    'GB-Mo': 'GB-Months',
    'Obj-Month': 'Obj-Months',
    'LCU-Hrs': 'LCU-Hours',
    'GB-Hr': 'GB-Hours',
    'Lambda-GB-Second': 'Lambda-GB-Seconds',
    seconds: 'Seconds',
    bytes: 'B',
    gibibyte: 'GiB',
    'byte-seconds': 'B-Seconds',
    'gibibyte month': 'GiB-Months',
    'gibibyte hour': 'GiB-Hours',
    '1/Month': 'Units/Month',
    '1 /Hour': 'Units/Hour',
    '1 GB/Month': 'GB/Month',
    '10K': '10000 Units',
    '1M': '1000000 Units',
    '1': 'Units',
    '100': '100 Units',
  }
  for (const [unit, wanted] of Object.entries(spelled)) {
    it(`of ${unit} is ${wanted}`, () => expect(focusUnit(unit)).to.equal(wanted))
  }

  it('of one that is spelled so, or that FOCUS has no words for, is itself', () => {
    const kept = [
      'Hours',
      'GB-Months',
      'GB/Month',
      '1 Hour',
      '100 Hours',
      '1000 Requests',
      'API Requests',
      'vCPU-Hours',
    ]
    const own = ['10 GB/Month', '10K/Month', 'GiB/Second-Months', 'print job', 'constructor', '']
    for (const unit of [...kept, ...own, ...Object.values(spelled)]) expect(focusUnit(unit)).to.equal(unit)
  })
})
