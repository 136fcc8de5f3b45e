// SPDX-License-Identifier: Apache-2.0
#include <tenon/tensor/string_tensor.hpp>

#include <doctest/doctest.h>

#include <compare>
#include <cstring>
#include <functional>
#include <new>
#include <random>
#include <sstream>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include <tenon/base/str.hpp>

namespace string_tensor_test {
using namespace tenon;

namespace {
const std::string kLong(100, 'x');
bool Inside(const tstring& s) {
  const auto* first = reinterpret_cast<const char*>(&s);
  return s.data() >= first && s.data() < first + sizeof s;
}
}  // namespace

TEST_SUITE("tstring") {
  TEST_CASE("is 24 bytes, empty at first, and keeps up to 22 characters inside") {
    CHECK(sizeof(tstring) == 24);
    const tstring empty;
    CHECK(empty.empty());
    CHECK(empty == "");
    CHECK(Inside(empty));
    const tstring small(std::string(22, 'a')), large(std::string(23, 'a'));
    CHECK(small.size() == 22);
    CHECK(Inside(small));
    CHECK(large.size() == 23);
    CHECK_FALSE(Inside(large));
    CHECK(large == std::string(23, 'a'));
  }
  TEST_CASE("is made from text of every kind and holds any bytes") {
    CHECK(tstring("abc") == "abc");
    CHECK(tstring(std::string("abc")) == std::string("abc"));
    CHECK(tstring(std::string_view("a\0b", 3)).size() == 3);
    CHECK(tstring(5, 'z') == "zzzzz");
    CHECK(std::string_view(tstring("abc")) == "abc");
    CHECK(std::string(tstring(kLong)) == kLong);
    CHECK(tstring("abc")[1] == 'b');
  }
  TEST_CASE("copies own their bytes; moves leave an empty string") {
    for (const std::string& text : {std::string("short"), kLong}) {
      tstring a(text);
      tstring b = a;
      CHECK(b == text);
      CHECK(b.data() != a.data());
      tstring c = std::move(a);
      CHECK(c == text);
      CHECK(a == "");
      a = c;
      CHECK(a == text);
      b = std::move(c);
      CHECK(b == text);
      CHECK(c.empty());
      tstring& self = b;
      b = self;
      CHECK(b == text);
      b = std::move(self);
      CHECK(b == text);
    }
  }
  TEST_CASE("may be a view, whose copy is not one") {
    char bytes[] = "somebody else's bytes, longer than small";
    tstring view;
    view.assign_as_view(bytes);
    CHECK(view.is_view());
    CHECK(view.data() == bytes);
    CHECK(view.capacity() == 0);
    const tstring copy = view;
    CHECK_FALSE(copy.is_view());
    bytes[0] = 'S';
    CHECK(view.view()[0] == 'S');
    CHECK(copy[0] == 's');
    tstring written = view;
    written[0] = 'Q';
    CHECK(copy[0] == 's');
    tstring moved = std::move(view);
    CHECK(moved.is_view());
    moved.append("!");
    CHECK_FALSE(moved.is_view());
    CHECK(moved == std::string(bytes) + "!");
    view.assign_as_view(bytes);
    view.mdata()[0] = 'Q';
    CHECK_FALSE(view.is_view());
    CHECK(bytes[0] == 'S');
    view.assign_as_view("abc");
    view = "def";
    CHECK(view == "def");
    CHECK_FALSE(view.is_view());
    view.assign_as_view(bytes);
    view.resize(3);
    CHECK(view == "Som");
    CHECK(std::string(bytes).size() > 3);
  }
  TEST_CASE("grows, shrinks and appends, itself too") {
    tstring s("ab");
    s += "cd";
    s.push_back('e');
    CHECK(s == "abcde");
    s.append(s);
    s.append(s);
    s.append(s);
    CHECK(s == "abcdeabcdeabcdeabcdeabcdeabcdeabcdeabcde");
    s.assign(std::string_view(s).substr(3, 4));
    CHECK(s == "deab");
    s.resize(6, '-');
    CHECK(s == "deab--");
    s.resize(1);
    CHECK(s == "d");
    s.reserve(1000);
    CHECK(s == "d");
    CHECK(s.capacity() >= 1000);
    const char* data = s.data();
    s.resize(1000, 'y');
    CHECK(s.data() == data);
    s.clear();
    CHECK(s.empty());
    CHECK(Inside(s));
    tstring zero;
    zero.resize(30);
    CHECK(zero == std::string(30, '\0'));
  }
  TEST_CASE("compares by bytes with every kind of text") {
    CHECK(tstring("a") < tstring("b"));
    CHECK(tstring("b") >= tstring("ab"));
    CHECK(tstring("a") != "b");
    CHECK(std::string_view("a") == tstring("a"));
    CHECK(std::string("a") == tstring("a"));
    CHECK(tstring(std::string_view("a\0", 2)) != "a");
    CHECK(tstring("\xff") > tstring("a"));
    CHECK(tstring("b") > std::string("a"));
    CHECK("a" < tstring("b"));
    CHECK(std::string_view("c") >= tstring("b"));
    CHECK((tstring("a") <=> std::string("ab")) == std::strong_ordering::less);
    CHECK(tstring("ab").compare("a") > 0);
    CHECK(tstring("a").compare(tstring("ab")) < 0);
    CHECK(tstring("ab").compare(std::string("ab")) == 0);
  }
  TEST_CASE("hashes, compares and prints alike in every form") {
    for (const std::string& text : {std::string(), std::string("short\0", 6), std::string(22, 's'), kLong}) {
      tstring owned(text), view;
      view.assign_as_view(text);
      struct {
        tstring offset;
        char bytes[128];
      } block;
      if (!text.empty()) std::memcpy(block.bytes, text.data(), text.size());
      block.offset.assign_as_offset({block.bytes, text.size()});
      for (const tstring* form : {&owned, &view, &block.offset}) {
        CHECK(*form == text);
        CHECK((*form <=> text) == std::strong_ordering::equal);
        CHECK(std::hash<tstring>()(*form) == Hash64(text));
        std::ostringstream stream;
        stream << *form << '|';
        CHECK(stream.str() == text + "|");
      }
    }
    std::unordered_set<tstring> set;
    set.insert("a");
    set.insert(tstring(kLong));
    tstring view;
    view.assign_as_view(kLong);
    CHECK(set.count(view) == 1);
    CHECK(set.count("b") == 0);
  }
  TEST_CASE("may lie at an offset, which holds wherever object and bytes are together") {
    struct Block {
      tstring text;
      char bytes[40];
    };
    alignas(Block) unsigned char here[sizeof(Block)], there[sizeof(Block)];
    auto* const block = ::new (here) Block;
    std::memcpy(block->bytes, "bytes that are in one block with it", 36);
    block->text.assign_as_offset({block->bytes, 35});
    CHECK(block->text.is_offset());
    CHECK(block->text.is_view());
    CHECK(block->text.capacity() == 0);
    CHECK(block->text.data() == block->bytes);
    std::memcpy(there, here, sizeof here);  // as a file that is mapped elsewhere
    std::memset(block->bytes, 'x', sizeof block->bytes);
    auto* const mapped = reinterpret_cast<Block*>(there);
    CHECK(mapped->text.data() == mapped->bytes);
    CHECK(mapped->text == "bytes that are in one block with it");
    const tstring copy = mapped->text;
    CHECK_FALSE(copy.is_view());
    tstring moved = std::move(mapped->text);  // a plain view: its distance to the bytes is another one
    CHECK(moved.is_view());
    CHECK_FALSE(moved.is_offset());
    CHECK(moved.data() == mapped->bytes);
    CHECK(mapped->text == "");
    mapped->text.assign_as_offset({mapped->bytes, 5});
    tstring assigned("long enough to be on the heap, and freed");
    assigned = std::move(mapped->text);
    CHECK(assigned.data() == mapped->bytes);
    mapped->text.assign_as_offset({mapped->bytes, 5});
    mapped->text.append("!");
    CHECK(mapped->text == "bytes!");
    CHECK_FALSE(mapped->text.is_view());
    mapped->text.assign_as_offset({mapped->bytes, 5});
    mapped->text.mdata()[0] = 'B';
    CHECK(mapped->text == "Bytes");
    CHECK(mapped->bytes[0] == 'b');
    mapped->text.assign_as_offset({mapped->bytes, 30});
    mapped->text.swap(assigned);
    CHECK(mapped->text == "bytes");
    CHECK(assigned.size() == 30);
    mapped->text.clear();
    CHECK(mapped->text.empty());
    // Bytes before the object are at a distance, too.
    struct {
      char bytes[40] = "these stand in front of the object";
      tstring text;
    } behind;
    behind.text.assign_as_offset({behind.bytes, 34});
    CHECK(behind.text == behind.bytes);
  }
  TEST_CASE("agrees with std::string over random changes") {
    std::mt19937 random(7);
    std::vector<tstring> strings(8);
    std::vector<std::string> models(8);
    for (int step = 0; step < 20000; ++step) {
      const std::size_t i = random() % 8, j = random() % 8;
      switch (random() % 8) {
        case 0: strings[i] = strings[j], models[i] = models[j]; break;
        case 1:
          if (i != j) strings[i] = std::move(strings[j]), models[i] = std::exchange(models[j], "");
          break;
        case 2:
          if (models[i].size() + models[j].size() < 200) strings[i].append(strings[j]), models[i] += models[j];
          break;
        case 3: {
          const std::size_t n = random() % 60;
          strings[i].resize(n, 'r');
          models[i].resize(n, 'r');
          break;
        }
        case 4: strings[i] = "literal", models[i] = "literal"; break;
        case 5:
          strings[i].assign_as_view("a view of bytes that stay for ever"),
              models[i] = "a view of bytes that stay for ever";
          break;
        case 6: strings[i].push_back('p'), models[i].push_back('p'); break;
        default: std::swap(strings[i], strings[j]), std::swap(models[i], models[j]);
      }
      REQUIRE(strings[i] == models[i]);
      REQUIRE(strings[j] == models[j]);
    }
  }
}

TEST_SUITE("tstring as a C string") {
  TEST_CASE("a zero stands behind the bytes, whatever changes them") {
    for (const std::size_t size : {0u, 1u, 21u, 22u, 23u, 31u, 32u, 33u, 100u}) {
      const std::string model(size, 'm');
      tstring text(model.data(), model.size());
      const auto ends_in_zero = [](const tstring& t) { return std::strlen(t.c_str()) == t.size(); };
      CHECK(ends_in_zero(text));
      CHECK(ends_in_zero(tstring(text)));
      text.append("nine", 4);
      CHECK(ends_in_zero(text));
      text.resize(size / 2);
      CHECK(text.size() == size / 2);
      CHECK(ends_in_zero(text));
      text.assign("other text", 5);
      CHECK(std::string("other") == text.c_str());
      text.reserve(64);
      CHECK(ends_in_zero(text));
      text.erase(1, 2);
      CHECK(std::string("oer") == text.c_str());
      tstring view;
      view.assign_as_view(model);
      view.mdata();
      CHECK(ends_in_zero(view));
    }
  }
  TEST_CASE("becomes a std::string and a piece of a message without a cast") {
    const tstring text("some text");
    const std::string copy = text;
    std::string assigned;
    assigned = text;
    CHECK(copy == assigned);
    CHECK(StrCat("<", text, ">") == "<some text>");
  }
}

TEST_SUITE("tstring editing") {
  TEST_CASE("inserts, erases, repeats and swaps, whether small, large or a view") {
    const std::string source(40, 'v');
    for (const std::string& start : {std::string("abcd"), std::string(30, 'x') + "abcd"}) {
      std::string expected = start;
      tstring text = start;
      text.insert(2, "--").insert(0, text.view().substr(0, 1)).insert(text.size(), "!");
      expected.insert(2, "--").insert(0, start.substr(0, 1)).insert(expected.size(), "!");
      CHECK(text == expected);
      CHECK(text.erase(1, 3) == expected.erase(1, 3));
      CHECK(text.append(3, 'z') == expected.append(3, 'z'));
      CHECK(text.front() == expected.front());
      CHECK(text.back() == 'z');
      CHECK(text.erase(2) == expected.erase(2));
      CHECK(text.erase(2) == expected);
      CHECK(text.erase(0, 99) == "");
    }
    CHECK(tstring("ab").insert(1, "xyz", 1, 1) == "ayb");
    CHECK(tstring("ab").insert(2, "xyz", 1, 9) == "abyz");
    CHECK(tstring("ab").insert(0, "xyz", 9, 1) == "ab");
    tstring view, other = "o";
    view.assign_as_view(source);
    view.swap(other);
    CHECK(view == "o");
    CHECK(other.is_view());
    other.erase(1, 38);
    CHECK(other == "vv");
    CHECK_FALSE(other.is_view());
    CHECK(source == std::string(40, 'v'));
    other.swap(other);
    CHECK(other == "vv");
  }
  TEST_CASE("finds, parts and sums as std::string") {
    const tstring text = "a/b/c", large = std::string(40, '/');
    CHECK(text.find('/') == 1);
    CHECK(text.find("/", 2) == 3);
    CHECK(text.find("//") == tstring::npos);
    CHECK(text.find('x') == std::string::npos);
    CHECK(text.rfind('/') == 3);
    CHECK(text.rfind("b", 1) == tstring::npos);
    CHECK(large.rfind('/') == 39);
    CHECK(text.substr(2) == "b/c");
    CHECK(text.substr(2, 1) == "b");
    CHECK(text.substr(9).empty());
    CHECK(text + ".x" == "a/b/c.x");
    CHECK("x." + text == "x.a/b/c");
    CHECK(std::string("x") + text + text == "xa/b/ca/b/c");
  }
}
}  // namespace string_tensor_test
