// Recorded answers of one system; of one item the provider fails, as an endpoint that is gone does.
const fs = require('fs');
const path = require('path');

const file = path.join(__dirname, '..', 'items.jsonl');
const items = fs.readFileSync(file, 'utf8').trim().split('\n').map((line) => JSON.parse(line));

class Recorded {
  constructor(options) {
    this.system = options.config.system;
    this.providerId = options.id || this.system;
  }

  id() {
    return this.providerId;
  }

  async callApi(prompt) {
    const item = items.find((one) => one.question === prompt);
    if (this.system === 'short' && item.query_id === 'locks' && item.lang === 'fr') {
      return { error: 'HTTP 503: no answer after 3 attempts' };
    }
    return { output: item.answers[this.system], cost: 0.0001 };
  }
}

module.exports = Recorded;
