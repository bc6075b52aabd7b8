/** Sentences of one language: what a user rules, with a word that forbids or demands and without one, and small talk. */
export interface RuleText {
  readonly things: readonly string[];
  /** `X` stands for a thing. */
  readonly withWord: readonly string[];
  readonly withoutWord: readonly string[];
  readonly starts: readonly string[];
  readonly ends: readonly string[];
  /** Between sentences. @default a space */
  readonly space?: string;
}

/** Six rules about four things each, 24 of each kind, in a language with spaces between words and in one without. */
export const ruleTexts: Readonly<Record<string, RuleText>> = {
  English: {
    things: ["the billing service", "the night job", "the customer table", "the mail gateway"],
    withWord: [
      "Never restart X.",
      "Do not rename X.",
      "Always test X before a release.",
      "You must ask Anna before you change X.",
      "Only Anna may open X.",
      "Keep X out of the report.",
    ],
    withoutWord: [
      "Anna decides about X.",
      "Changes to X wait for a written yes from Anna.",
      "Releases of X happen on Tuesdays.",
      "Leave X to the night shift.",
      "The report about X is in French.",
      "Backups of X stay for ninety days.",
    ],
    starts: [
      "Yesterday the meeting with the other department",
      "The first draft of the presentation for the board",
      "The new coffee machine on the second floor",
      "My colleague from the office across the street",
      "The train that I usually take in the morning",
    ],
    ends: [
      "took almost an hour longer than anybody had planned.",
      "turned out to be much better than the one from last year.",
      "was the only thing that people talked about over lunch.",
      "came up again when we were about to leave for the day.",
      "made everybody laugh, although it had looked bad at first.",
    ],
  },
  Chinese: {
    things: ["计费服务", "夜间任务", "客户数据表", "邮件网关"],
    withWord: [
      "绝对不能重启X。",
      "不要给X改名。",
      "发布之前必须测试X。",
      "修改X之前一定先问安娜。",
      "只有安娜可以打开X。",
      "报告里禁止出现X。",
    ],
    withoutWord: [
      "X由安娜决定。",
      "X的改动等安娜的书面同意。",
      "X在星期二发布。",
      "把X留给夜班。",
      "关于X的报告用法语写。",
      "X的备份留九十天。",
    ],
    starts: [
      "昨天和另一个部门开的那次会",
      "给董事会看的第一版演示文稿",
      "二楼新买的那台咖啡机",
      "马路对面办公室的那位同事",
      "我早上常坐的那趟火车",
    ],
    ends: [
      "比原来计划的时间多花了差不多一个小时。",
      "最后的结果比去年的那一次好得多了。",
      "成了大家吃午饭的时候谈论的话题。",
      "在我们快要下班的时候又被人提了起来。",
      "虽然开始看起来很糟但最后让大家都笑了。",
    ],
    space: "",
  },
};
