package tokens

import (
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// The texts of the benchmarks. None is one line repeated, which would flatter the caches:
//
//   - go: source of the standard library as it is;
//   - english: the comments of that source, which is prose by many authors;
//   - python: that source rewritten line by line into the shape of Python, with its identifiers in
//     snake case, so that names are as many and as varied as in real code;
//   - json: tool output that lists files of the standard library with made-up hashes, times and
//     sizes, and quotes their lines;
//   - chinese: clauses put together from the words below by Zipf's law, with names of random
//     characters and numbers in between: less repetitive than prose is;
//   - mixed: sentences in twelve languages from the words below with random endings, between
//     English ones.

// goSource returns about n bytes of the source of the standard library, without tests.
func goSource(t testing.TB, n int) []string {
	t.Helper()
	var lines []string
	size := 0
	root := filepath.Join(runtime.GOROOT(), "src") //nolint:staticcheck // the tests run where Go is
	for _, folder := range []string{"net/http", "go/types", "encoding", "database/sql", "os", "text", "crypto/x509", "time"} {
		err := filepath.WalkDir(filepath.Join(root, folder), func(path string, d fs.DirEntry, err error) error {
			if err != nil || size > n || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			data, err := os.ReadFile(path)
			if len(data) > 150_000 { // generated
				return nil
			}
			size += len(data)
			lines = append(lines, strings.SplitAfter(string(data), "\n")...)
			return err
		})
		if err != nil {
			t.Skipf("the source of the standard library is not here: %v", err)
		}
	}
	return lines
}

func englishText(lines []string) string {
	var b strings.Builder
	for _, line := range lines {
		if comment, found := strings.CutPrefix(strings.TrimSpace(line), "// "); found && !strings.Contains(line, "Copyright") {
			b.WriteString(comment)
			b.WriteByte("  \n"[b.Len()%3])
		}
	}
	return b.String()
}

func pythonText(lines []string) string {
	shape := strings.NewReplacer("\t", "    ", "func ", "def ", " {\n", ":\n", "}", "", "// ", "# ", ":= ", "= ", "nil", "None",
		"true", "True", "false", "False", "&&", "and", "||", "or", "err != None", "error is not None", "type ", "class ",
		"else if", "elif", "switch", "match", "string", "str", "bool", "bool", "interface", "Protocol", "range ", "in ", "*", "", "&", "")
	var b strings.Builder
	for _, line := range lines {
		line = shape.Replace(line)
		for i := range len(line) {
			c := line[i]
			if c >= 'A' && c <= 'Z' && i > 0 && line[i-1] >= 'a' && line[i-1] <= 'z' {
				b.WriteByte('_')
				c |= 0x20
			}
			b.WriteByte(c)
		}
	}
	return b.String()
}

func jsonText(lines []string, n int) string {
	rng := rand.New(rand.NewPCG(10, 9))
	var b strings.Builder
	for i := 0; b.Len() < n; i++ {
		line := strings.TrimSpace(lines[rng.IntN(len(lines))])
		name := strings.ToLower(strings.Join(strings.Fields(line), "_"))
		fmt.Fprintf(&b, `{"id": "call_%08x", "path": "/srv/app/src/%.24s.go", "line": %d, "size": %d, "modified": "2025-%02d-%02dT%02d:%02d:%02dZ", "status": "ok", "exit_code": %d, "duration_ms": %.3f, "text": %q, "tags": ["source", "go"], "parent": null}`+"\n",
			rng.Uint32(), name, i, rng.IntN(100_000), rng.IntN(12)+1, rng.IntN(28)+1, rng.IntN(24), rng.IntN(60), rng.IntN(60), rng.IntN(3), rng.Float64()*100, line)
	}
	return b.String()
}

const chineseWords = `的 了 在 是 我们 他们 这个 那个 可以 需要 已经 如果 因为 所以 但是 并且 或者 以及 通过 使用 进行 没有 问题 系统 数据 用户 文件 信息 服务 时间 方法 结果 程序 代码 函数 参数 测试 错误 配置 模型 对话 消息 工具 输出 输入 请求 返回 检查 修改 运行 支持 处理 实现 提供 选择 创建 删除 更新 保存 读取 写入 分析 设计 开发 管理 控制 接口 网络 安全 性能 内存 速度 版本 环境 平台 项目 团队 公司 市场 经济 社会 历史 文化 教育 科学 技术 研究 发展 建设 生活 工作 学习 城市 农村 国家 世界 人民 政府 企业 产品 质量 价格 成本 计划 目标 任务 过程 步骤 条件 原因 影响 作用 关系 情况 变化 增加 减少 提高 降低 开始 结束 继续 停止 完成 解决 发现 认为 觉得 希望 知道 理解 说明 介绍 讨论 建议 决定 同意 反对 非常 比较 特别 更加 十分 完全 大约 可能 一定 应该 必须 虽然 然而 因此 此外 例如 首先 其次 最后 昨天 今天 明天 早上 晚上 春天 夏天 秋天 冬天 北京 上海 广州 长江 黄河 山水 天气 下雨 阳光 温暖 寒冷 美丽 安静 热闹 朋友 家人 孩子 老师 学生 医生 病人 电影 音乐 故事 小说 诗歌 书籍 报纸 电话 手机 电脑 汽车 火车 飞机 道路 桥梁 房子 窗户 桌子 椅子 咖啡 茶叶 米饭 面条 水果 蔬菜 缓存 并发 线程 压缩 摘要 令牌 上下文 数据库 服务器 浏览器 操作系统 人工智能 机器学习 自然语言 互联网 开源软件 单元测试 持续集成 航班 乘客 预订 取消 退款 行李 座位 改签 付款 信用卡`

func chineseText(n int) string {
	rng := rand.New(rand.NewPCG(11, 9))
	words := strings.Fields(chineseWords)
	zipf := rand.NewZipf(rng, 1.05, 12, uint64(len(words)-1))
	var b strings.Builder
	for b.Len() < n {
		for range rng.IntN(7) + 3 {
			switch rng.IntN(40) {
			case 0: // a name
				for range rng.IntN(2) + 2 {
					b.WriteRune(0x4E00 + rng.Int32N(0x9FA5-0x4E00))
				}
			case 1:
				fmt.Fprint(&b, rng.IntN(3000))
			default:
				b.WriteString(words[zipf.Uint64()])
			}
		}
		b.WriteString([]string{"，", "，", "，", "。", "。", "、", "；", "：", "！\n", "？\n", "。\n\n"}[rng.IntN(11)])
	}
	return b.String()
}

var mixedWords = []string{
	`и в не на что он как это по но из у за от так же для можно если когда только был система данные пользователь сообщение ошибка файл запрос ответ время работа человек город страна вопрос решение проверить изменить получить написать новый большой последний`,
	`der die das und ist nicht mit auf für von eine wird auch nach bei über durch können müssen Benutzer Nachricht Fehler Datei Anfrage Antwort Zeit Arbeit Größe Verbindung Einstellung Überprüfung ändern löschen öffnen schließen verfügbar möglich`,
	`le la les des est une dans pour que qui avec sur pas plus être avoir système données utilisateur message erreur fichier requête réponse temps travail vérifier modifier créer supprimer dernière élément français paramètre déjà où`,
	`el la los las de que y en un por con para una su al lo como más pero sus sistema datos usuario mensaje error archivo solicitud respuesta tiempo trabajo verificar cambiar según también configuración sesión últimos años`,
	`の に は を が と で た し て も な い か ら れ システム データ ユーザー メッセージ エラー ファイル リクエスト 時間 仕事 確認 変更 作成 削除 設定 会議 予約 電車 東京 日本語 文章 ください ました です ます について ために`,
	`이 그 저 것 수 등 들 및 에서 으로 하는 있는 없는 합니다 시스템 데이터 사용자 메시지 오류 파일 요청 응답 시간 작업 확인 변경 생성 삭제 설정 회의 예약 서울 한국어 문장 대한 위해 그리고 하지만`,
	`في من على أن إلى هذا التي الذي عن مع كان لم قد بين النظام البيانات المستخدم رسالة خطأ ملف طلب استجابة الوقت العمل تحقق تغيير إنشاء حذف إعدادات المدينة اللغة العربية`,
	`है के में की को से और का यह पर नहीं एक कि हो था प्रणाली डेटा उपयोगकर्ता संदेश त्रुटि फ़ाइल अनुरोध समय काम जाँच बदलें बनाएँ हटाएँ सेटिंग भाषा हिन्दी शहर`,
	`của và là có được cho trong một không với người này các để từ hệ thống dữ liệu người dùng tin nhắn lỗi tệp yêu cầu thời gian công việc kiểm tra thay đổi tạo xóa cài đặt thành phố tiếng Việt`,
	`ve bir bu için ile olarak daha çok gibi kadar sonra ancak sistem veri kullanıcı mesaj hata dosya istek yanıt zaman iş kontrol değiştir oluştur sil ayarlar şehir Türkçe güncelleme bağlantı`,
	`και το να της του με για που είναι από στο δεν θα σύστημα δεδομένα χρήστης μήνυμα σφάλμα αρχείο αίτημα απάντηση χρόνος εργασία έλεγχος αλλαγή δημιουργία διαγραφή ρυθμίσεις πόλη ελληνικά`,
	`และ ที่ ใน ของ การ เป็น ได้ มี ไม่ จะ ให้ ระบบ ข้อมูล ผู้ใช้ ข้อความ ข้อผิดพลาด ไฟล์ คำขอ เวลา งาน ตรวจสอบ เปลี่ยน สร้าง ลบ การตั้งค่า เมือง ภาษาไทย`,
}

func mixedText(english string, n int) string {
	rng := rand.New(rand.NewPCG(12, 9))
	var b strings.Builder
	for b.Len() < n {
		language := rng.IntN(len(mixedWords) + 1)
		if language == len(mixedWords) {
			start := rng.IntN(len(english) - 200)
			b.WriteString(strings.ToValidUTF8(english[start:start+100+rng.IntN(100)], "") + "\n")
			continue
		}
		words := strings.Fields(mixedWords[language])
		for range rng.IntN(12) + 5 {
			word := []rune(words[min(rng.IntN(len(words)), rng.IntN(len(words)))])
			switch rng.IntN(12) {
			case 0: // an ending from another word, or two words made one
				other := []rune(words[rng.IntN(len(words))])
				word = append(word, other[rng.IntN(len(other)):]...)
			case 1:
				fmt.Fprintf(&b, "%d ", rng.IntN(5000))
			}
			b.WriteString(string(word))
			if language != 4 && language != 11 { // Japanese and Thai put no spaces between words
				b.WriteByte(' ')
			}
		}
		b.WriteString([]string{". ", ", ", "? ", "! ", ".\n"}[rng.IntN(5)])
	}
	return b.String()
}

// benchTexts returns the texts by name, of about n bytes each.
func benchTexts(t testing.TB, n int) map[string]string {
	lines := goSource(t, 5*n)
	english := englishText(lines)
	texts := map[string]string{
		"english": english, "go": strings.Join(lines, ""), "python": pythonText(lines), "json": jsonText(lines, n),
		"chinese": chineseText(n), "mixed": mixedText(english, n),
	}
	for name, text := range texts {
		texts[name] = strings.ToValidUTF8(text[:min(n, len(text))], "")
	}
	return texts
}
